import { hueOf, initials } from '../format/initials.ts';

export function Avatar({ name, address }: { name: string; address: string }) {
  return (
    <span class={`avatar hue-${hueOf(address)}`} aria-hidden="true">
      {initials(name || address)}
    </span>
  );
}
