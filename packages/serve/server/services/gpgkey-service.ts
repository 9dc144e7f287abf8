import type { services } from '@tiphys/api';
import { GpgKeys } from '../certificates/gpg-keys.ts';
import type { ServerContext } from '../context/server-context.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';

export function gpgKeyService(context: ServerContext): ServiceHandlers<typeof services.gpgkey> {
  const keys = new GpgKeys(context.plane);
  return {
    async list(_request, call) {
      (await context.enforcer()).enforce(call.identity, 'gpgkeys', 'get', '');
      return { items: (await keys.list()).map((key) => ({ ...key, keyData: '' })) };
    },
    async get(request, call) {
      (await context.enforcer()).enforce(call.identity, 'gpgkeys', 'get', '');
      return keys.get(request.keyID ?? '');
    },
    async create(request, call) {
      (await context.enforcer()).enforce(call.identity, 'gpgkeys', 'create', '');
      const { created, skipped } = await keys.add(request.publickey?.keyData ?? '');
      return { created: { items: created }, skipped };
    },
    async delete(request, call) {
      (await context.enforcer()).enforce(call.identity, 'gpgkeys', 'delete', '');
      await keys.remove(request.keyID ?? '');
      return {};
    },
  };
}
