import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react';
import { type ApplicationRef, api } from '../../api/client.ts';
import { type RowAct, RowActContext } from './row-menu.tsx';

const RowDialogs = lazy(() => import('./row-dialogs.tsx').then(({ RowDialogs: view }) => ({ default: view })));
const RowFailure = lazy(() => import('./row-dialogs.tsx').then(({ RowFailure: view }) => ({ default: view })));

type Shown = { verb: 'sync' | 'delete'; reference: ApplicationRef } | { verb: 'failed'; name: string; error: unknown };

/** What the menus of rows do; the dialogs of it are loaded when somebody asks for one. */
export function RowActs({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Shown>();
  const act = useCallback<RowAct>(async (verb, { namespace, name }) => {
    const reference = { namespace, name };
    if (verb === 'sync' || verb === 'delete') return setShown({ verb, reference });
    try {
      await api.refresh(reference, verb === 'refresh' ? 'normal' : 'hard');
    } catch (error) {
      setShown({ verb: 'failed', name, error });
    }
  }, []);
  const close = () => setShown(undefined);
  return (
    <RowActContext value={act}>
      {children}
      {shown && (
        <Suspense fallback={null}>
          {shown.verb === 'failed' ? (
            <RowFailure name={shown.name} error={shown.error} close={close} />
          ) : (
            <RowDialogs verb={shown.verb} reference={shown.reference} close={close} />
          )}
        </Suspense>
      )}
    </RowActContext>
  );
}
