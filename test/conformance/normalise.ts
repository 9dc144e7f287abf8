/** Makes answers of different runs and servers comparable: what is random or a time becomes a placeholder, numbered where identity matters. */
export class Normaliser {
  readonly #uids = new Map<string, string>();

  answer(value: unknown): unknown {
    return this.#value(value, '');
  }

  #value(value: unknown, key: string): unknown {
    if (typeof value === 'string') return this.#text(value, key);
    if (Array.isArray(value)) {
      const items = (key === 'managedFields' ? value.toSorted(byManager) : value).map((item) => this.#value(item, key));
      // In the order of a map of the real server's.
      if (key === 'resourceRules' || key === 'nonResourceRules')
        return items.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
      // Some rules are checked twice by the real server.
      return key === 'causes'
        ? items.filter(
            (item, index) => items.findIndex((other) => JSON.stringify(other) === JSON.stringify(item)) === index,
          )
        : items;
    }
    if (typeof value !== 'object' || value === null) return value;
    // The administrator of each server has another name.
    const entries = Object.entries(value)
      .filter(([name, item]) => name !== 'uid' || item !== 'admin')
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([name, item]) => [this.#random(name), this.#field(name, item)]));
  }

  #field(name: string, item: unknown): unknown {
    if (name === 'nodePort' && typeof item === 'number') return '<port>';
    if (name === 'continue' && typeof item === 'string') return '<continue>';
    return this.#value(item, name);
  }

  #text(text: string, key: string): string {
    if (key === 'resourceVersion') return text === '' || text === '0' ? text : '<revision>';
    if (key === 'username') return text.replace(/^(kubernetes-)?admin$/, '<admin>');
    if (key === 'token') return '<token>';
    if (key === 'Age' || key === 'age') return '<age>';
    return this.#random(text);
  }

  #random(text: string): string {
    return (
      text
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uid) => {
          let name = this.#uids.get(uid);
          if (!name) {
            name = `<uid-${this.#uids.size + 1}>`;
            this.#uids.set(uid, name);
          }
          return name;
        })
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
        .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<random>')
        .replace(/\b10\.96\.\d+\.\d+\b/g, '<address>')
        .replace(/LS0tLS1CRUdJTi[A-Za-z0-9+/=]+/g, '<certificate>')
        .replace(/\bgenerated-[a-z0-9]{5}\b/g, 'generated-<random>')
        .replace(/resourceVersion: "\d+"/g, 'resourceVersion: "<revision>"')
        .replace('kubernetes.default.svc.cluster.local', 'kubernetes.default.svc')
        .replace(/^(\s+- |)\d+(s|m|m\d+s|h|h\d+m|d|d\d+h|y|y\d+d)$/gm, '$1<age>')
        .replace(/ \(\d+y ago\)$/, ' (<age> ago)')
        .replace(/resource version: \d+, current: \d+/, 'resource version: <revision>, current: <revision>')
        .replace(/resource version: \d+ \(\d+\)/, 'resource version: <revision> (<revision>)')
        .replace(/(\d+):\d{5}\/(TCP|UDP)/g, '$1:<port>/$2')
        .replace(/https:\/\/127\.0\.0\.1:\d{4,5}\//g, 'https://127.0.0.1:<port>/')
        .replace(/(ersion in (?:the )?(?:precondition|record)) \(\d+\)/g, '$1 (<revision>)')
        // Differences and values in the words of Go's own structs.
        .replace(/\n@@ [\s\S]*$/, '')
        .replace(/Invalid value: \{.*\}:/s, 'Invalid value: {…}:')
        .replace(/Invalid value: \[\{.*\}\]:/s, 'Invalid value: [{…}]:')
        .replace(/Unsupported value: \{.*?\}:/s, 'Unsupported value: {…}:')
        .replace(/patch: Invalid value: ".*":/s, 'patch: Invalid value: "…":')
        .replace(/^Invalid value: "\{.*":/s, 'Invalid value: "…":')
    );
  }
}

/** Both servers order managers by the second of their last write first, which differs from run to run. */
function byManager(one: unknown, other: unknown): number {
  const [left, right] = [one, other].map((entry) => {
    const { operation, manager, apiVersion, subresource } = entry as Record<string, unknown>;
    return JSON.stringify([operation, manager, apiVersion, subresource]);
  });
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
