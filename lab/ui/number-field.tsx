/** A number with its name. */
interface NumberProps {
  readonly name: string;
  readonly value: number;
  readonly least: number;
  readonly step?: string;
  readonly onValue: (value: number) => void;
}

export function NumberField({ name, value, least, step, onValue }: NumberProps) {
  return (
    <label>
      {name}{' '}
      <input
        type="number"
        class="number"
        min={least}
        step={step ?? '1'}
        value={value}
        onChange={(event) => onValue(Number(event.currentTarget.value))}
      />
    </label>
  );
}
