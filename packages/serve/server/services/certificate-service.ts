import type { services } from '@tiphys/api';
import { Certificates } from '../certificates/certificates.ts';
import type { ServerContext } from '../context/server-context.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';

export function certificateService(context: ServerContext): ServiceHandlers<typeof services.certificate> {
  const certificates = new Certificates(context.plane);
  return {
    async listCertificates(request, call) {
      (await context.enforcer()).enforce(call.identity, 'certificates', 'get', '');
      return { items: certificates.list(request) };
    },
    async createCertificate(request, call) {
      (await context.enforcer()).enforce(call.identity, 'certificates', 'create', '');
      if (!request.certificates) throw invalidArgument('missing payload in request');
      return { items: await certificates.create(request.certificates.items ?? [], request.upsert ?? false) };
    },
    async deleteCertificate(request, call) {
      (await context.enforcer()).enforce(call.identity, 'certificates', 'delete', '');
      return { items: await certificates.remove(request) };
    },
  };
}
