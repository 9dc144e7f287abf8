import { createHash } from 'node:crypto';
import type { Clock } from '@tiphys/kubernetes';
import type { ControlPlane } from '../settings/control-plane.ts';

const store = 'tiphys-revoked-tokens';

/**
 * Tokens that were logged out before they expired; kept in a ConfigMap, which all replicas watch, until they would have
 * expired anyway. Ids come from identity providers too and may be any text, so their digests are the keys.
 */
export class Revocations {
  readonly #plane: ControlPlane;
  readonly #clock: Clock;

  constructor(plane: ControlPlane, clock: Clock) {
    this.#plane = plane;
    this.#clock = clock;
  }

  isRevoked(id: string): boolean {
    return this.#plane.configMap(store)[keyOf(id)] !== undefined;
  }

  /** `expiresAt` in seconds since the epoch. */
  async revoke(id: string, expiresAt: number | undefined): Promise<void> {
    const now = this.#clock.now() / 1000;
    await this.#plane.change('ConfigMap', store, (data) => {
      const kept = Object.fromEntries(
        Object.entries(data).filter(([, until]) => Number(until) === 0 || Number(until) > now),
      );
      return { ...kept, [keyOf(id)]: String(Math.ceil(expiresAt ?? 0)) };
    });
  }
}

function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
