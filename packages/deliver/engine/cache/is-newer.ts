/** Resource versions are decimal numbers on every server that we know; where they are not, any other one counts as newer. */
export function isNewer(version: string, than: string): boolean {
  if (version === than) return false;
  if (!/^\d+$/.test(version) || !/^\d+$/.test(than)) return true;
  return version.length === than.length ? version > than : version.length > than.length;
}
