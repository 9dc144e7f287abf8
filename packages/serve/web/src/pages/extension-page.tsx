import { Loading } from '../components/common/loading.tsx';
import { ExtensionSlot } from '../components/extensions/extension-slot.tsx';
import { useExtensions } from '../extensions/use-extensions.ts';
import { UnknownPage } from './unknown-page.tsx';

/** The page that an extension has at a path, if one has. */
export function ExtensionPage({ path }: { path: string }) {
  const { pages, loading } = useExtensions();
  const plain = path.replace(/^\/+|(?<!\/)\/+$/g, '');
  const page = pages.find((one) => plain === one.path || plain.startsWith(`${one.path}/`));
  if (!page) return loading ? <Loading height={240} /> : <UnknownPage path={path} />;
  const { component: Content, title } = page;
  return (
    <ExtensionSlot key={page.path} title={title}>
      <Content />
    </ExtensionSlot>
  );
}
