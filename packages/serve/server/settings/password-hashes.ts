import bcrypt from 'bcryptjs';

/** Rounds, as a power of two, that Argo CD hashes with. */
const usualCost = 10;

/** Passwords of local accounts as `argocd-secret` keeps them: bcrypt hashes, in all of its forms. */
export class PasswordHashes {
  readonly #cost: number;
  /** Made of letters and not of a password, so nobody knows one for it. */
  readonly #nobodys: string;

  /** New passwords are hashed with 2^`cost` rounds (4 to 31); those that are kept are read whatever their cost. */
  constructor(cost = usualCost) {
    this.#cost = cost;
    this.#nobodys = `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(21)}u${'x'.repeat(30)}e`;
  }

  async make(password: string): Promise<string> {
    return await bcrypt.hash(password, this.#cost);
  }

  /** False without a hash, which takes as long to find as with one: an answer's time must not tell that a name is unknown. */
  async match(password: string, hash: string | undefined): Promise<boolean> {
    return (await bcrypt.compare(password, hash || this.#nobodys)) && Boolean(hash);
  }
}
