import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ApplicationRef, api } from '../../api/client.ts';
import { t } from '../../i18n/texts.ts';
import { DeleteDialog } from '../application/delete-dialog.tsx';
import { Failure } from '../common/failure.tsx';
import { Loading } from '../common/loading.tsx';
import { SyncDialog } from '../sync/sync-dialog.tsx';

interface RowDialogsProps {
  verb: 'sync' | 'delete';
  reference: ApplicationRef;
  close: () => void;
}

/** The panel of a sync or a deletion, for an application of which the list has a row alone. */
export function RowDialogs({ verb, reference, close }: RowDialogsProps) {
  const application = useQuery({
    queryKey: ['application', reference.namespace, reference.name],
    queryFn: () => api.application(reference),
    staleTime: 0,
  });
  // a panel begins with what the application says now, not with what was read once
  if (!application.isFetchedAfterMount || !application.data)
    return (
      <Modal opened onClose={close} title={reference.name}>
        {application.error ? (
          <Failure error={application.error} retry={() => void application.refetch()} />
        ) : (
          <Loading height={120} />
        )}
      </Modal>
    );
  return verb === 'sync' ? (
    <SyncDialog application={application.data} opened close={close} />
  ) : (
    <DeleteDialog application={application.data} opened close={close} />
  );
}

/** That what was asked for was refused. */
export function RowFailure({ name, error, close }: { name: string; error: unknown; close: () => void }) {
  return (
    <Modal opened onClose={close} title={t('Refresh {name}', { name })}>
      <Failure error={error} />
    </Modal>
  );
}
