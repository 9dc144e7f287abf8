/** What fetches dependencies, and with it the clients of repositories and registries: anyone who only renders does without. */
export function loadFetching(): Promise<typeof import('./fetch-dependencies.ts')> {
  return import('./fetch-dependencies.ts');
}
