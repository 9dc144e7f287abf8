import type { flow } from '@tiphys/api';
import type { Call } from '../rpc/call.ts';
import type { Admit } from '../rpc/grpc.ts';
import type { HttpRequest, HttpResponse } from '../transport/http-message.ts';

export interface WorkflowQuery {
  readonly namespace?: string | undefined;
  /** Part of the name. */
  readonly name?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** RFC 3339. */
  readonly createdAfter?: string | undefined;
  readonly finishedBefore?: string | undefined;
  readonly limit: number;
  readonly continue?: string | undefined;
}

/** What the page needs of Argo Workflows' API, in the process of the server: `@tiphys/workflow-server` offers it. */
export interface WorkflowsAccess {
  /** Live workflows, newest first, and behind them those of the archive; without their nodes. */
  list(
    call: Call,
    query: WorkflowQuery,
  ): Promise<{ readonly items: readonly flow.Workflow[]; readonly continue?: string }>;
  /** One with its nodes, wherever they and it are kept. Throws NotFound. */
  get(
    call: Call,
    named: { readonly namespace: string; readonly name: string; readonly uid?: string },
  ): Promise<flow.Workflow>;
  /** Columns of lists that workflow-controller-configmap asks for. */
  readonly columns: readonly object[];
  /** Answers requests of the API, and of artifacts, whose paths are the API's own. */
  api(options: {
    readonly admit: Admit;
    /** argocd-cm. */
    readonly config: () => Readonly<Record<string, string>>;
  }): (request: HttpRequest, response: HttpResponse) => Promise<void>;
}
