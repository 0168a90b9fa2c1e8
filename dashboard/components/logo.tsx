/** A mayfly at rest: wings up, tail filaments behind. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect class="logo-ground" width="32" height="32" rx="8" />
      <path class="logo-wing" d="M13.6 18.4C9.4 14 8.8 8.2 11.8 3.8c4.6 3.6 5.6 9.2 3 14.6Z" />
      <path class="logo-wing-behind" d="M15.2 18.4c-.2-5 2-9.2 6.8-11.2.6 4.8-1.6 9.2-5.6 11.2Z" />
      <path class="logo-body" d="M7.6 18.2c4.6 2 10.2 1.7 15-.7" />
      <path
        class="logo-fine"
        d="M22.6 17.5c2.8-1.3 5-3.6 6.4-7M22.6 17.5c2.6-.8 5-.7 7.2.3M10 20l-2.6 6M13.4 20.6l-.6 6"
      />
    </svg>
  );
}
