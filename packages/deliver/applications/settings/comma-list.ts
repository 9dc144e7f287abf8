/** The entries of a setting that separates them by commas, such as `application.namespaces`, without spaces around them. */
export function commaList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}
