/** What a form for the parameters of an action begins with: the value of the object's `spec` of the same name, else nothing. */
export function actionDefaults(names: readonly string[], live: unknown): Record<string, string> {
  const spec = ((live ?? {}) as { spec?: Record<string, unknown> }).spec ?? {};
  return Object.fromEntries(
    names.map((name) => {
      const value = spec[name];
      return [name, ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''];
    }),
  );
}
