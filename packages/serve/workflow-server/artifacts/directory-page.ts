const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A page with what is in a folder: its files and the folders in it, each once. */
export function directoryPage(names: readonly string[]): string {
  const shown = new Set(
    names.map((name) => {
      const at = name.lastIndexOf('/');
      return at < 0 ? name : name.slice(0, at + 1);
    }),
  );
  const lines = [...shown].map((name) => {
    const text = name.replace(/[&<>"']/g, (letter) => escapes[letter] ?? '');
    return `<li><a href="./${text}">${text}</a></li>`;
  });
  return `<html><body><ul>\n<li><a href="..">..</a></li>\n${lines.join('\n')}\n</ul></body></html>`;
}
