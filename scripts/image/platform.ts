/** A platform that images are made for, in the words of OCI, Debian and npm. */
export interface Platform {
  readonly oci: 'amd64' | 'arm64';
  readonly npm: 'x64' | 'arm64';
}

const platforms: readonly Platform[] = [
  { oci: 'amd64', npm: 'x64' },
  { oci: 'arm64', npm: 'arm64' },
];

/** The platforms of a list such as `linux/amd64,linux/arm64`; throws for any other. */
export function platformsOf(list: string): Platform[] {
  return list.split(',').map((name) => {
    const found = platforms.find(({ oci }) => `linux/${oci}` === name.trim());
    if (!found) throw new Error(`--platform ${name} is not known: images are made for linux/amd64 and linux/arm64`);
    return found;
  });
}
