import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { requestUrl } from '@tiphys/inbound';
import type { Client } from '@tiphys/kubernetes';
import type { HttpRequest, HttpResponse } from '../transport/http-message.ts';

/** Answers `/healthz`: that the process serves, and with `?full=true` that it reaches its own cluster. */
export async function serveHealth(
  client: Client,
  namespace: string,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  if (requestUrl(request).searchParams.get('full') === 'true') {
    try {
      await client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'argocd-cm' });
    } catch (error) {
      response.statusCode = 503;
      response.end(`${formatDiagnosis(diagnosisOf(error))}\n`);
      return;
    }
  }
  response.end('ok\n');
}
