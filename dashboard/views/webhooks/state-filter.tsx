import type { DeliveryState } from '../../rest/shapes.ts';
import { deliveryStates, states } from './webhook-texts.ts';

export function StateFilter({
  state,
  onChange,
}: {
  state: DeliveryState | null;
  onChange: (state: DeliveryState | null) => void;
}) {
  return (
    <select
      aria-label="Filter deliveries by state"
      value={state ?? ''}
      onChange={(event) => {
        const { value } = event.currentTarget;
        onChange(deliveryStates.find((one) => one === value) ?? null);
      }}
    >
      <option value="">All states</option>
      {deliveryStates.map((one) => (
        <option key={one} value={one}>
          {states[one].label}
        </option>
      ))}
    </select>
  );
}
