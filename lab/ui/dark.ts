/** Dark or light: as the system says, until somebody chooses. */
import { effect, signal } from '@preact/signals';

const system = matchMedia('(prefers-color-scheme: dark)');
export const isDark = signal(system.matches);
system.addEventListener('change', () => {
  isDark.value = system.matches;
});

effect(() => {
  document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light';
});
