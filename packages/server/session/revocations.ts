import type { Clock } from '@tiphys/kubernetes';
import type { ControlPlane } from '../settings/control-plane.ts';

const store = 'tiphys-revoked-tokens';

/** Tokens that were logged out before they expired, by `jti`; kept in a ConfigMap until they would have expired anyway. */
export class Revocations {
  readonly #plane: ControlPlane;
  readonly #clock: Clock;

  constructor(plane: ControlPlane, clock: Clock) {
    this.#plane = plane;
    this.#clock = clock;
  }

  async isRevoked(id: string): Promise<boolean> {
    return this.#plane.configMap(store)[id] !== undefined;
  }

  /** `expiresAt` in seconds since the epoch. */
  async revoke(id: string, expiresAt: number | undefined): Promise<void> {
    const now = this.#clock.now() / 1000;
    await this.#plane.change('ConfigMap', store, (data) => {
      const kept = Object.fromEntries(
        Object.entries(data).filter(([, until]) => Number(until) === 0 || Number(until) > now),
      );
      return { ...kept, [id]: String(Math.ceil(expiresAt ?? 0)) };
    });
  }
}
