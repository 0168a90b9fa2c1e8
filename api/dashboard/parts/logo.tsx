/** A mayfly at rest: wings up, tail filaments behind. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect class="logo-ground" width="32" height="32" rx="8" />
      <path class="logo-wing" d="M17.2 17.6C10.6 15.4 8.6 9.6 10.4 4.6c5.6 1.8 8.4 7 6.8 13Z" />
      <path class="logo-wing-behind" d="M18 17.2c-1-5.6 1.4-10 6.2-11.8 1.6 4.8-.8 10-6.2 11.8Z" />
      <path
        class="logo-body"
        d="M24.6 14.8c-3.4 3.6-7.8 4.6-11.4 5.4M13.2 20.2 5.4 23.4M13.2 20.2 7.4 27"
      />
    </svg>
  );
}
