import { Option } from 'commander';

/** `-o` in these forms, of which the first holds if it is absent. Another form is refused with the names of those that there are. */
export function outputFlag(forms: readonly [string, ...string[]]): Option {
  return new Option('-o, --output <format>', 'Output format').choices(forms).default(forms[0]);
}
