/** An icon that an extension names by its Font Awesome classes; the styles and fonts come with the host of extensions. */
export function ExtensionIcon({ name }: { name: string | undefined }) {
  if (!name) return null;
  return <i className={`fa ${name} extension-icon`} aria-hidden="true" />;
}
