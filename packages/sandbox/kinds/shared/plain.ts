/** Of kinds that count no generations and have no status. */
export const plain = { generation: false, statusSubresource: false } as const;
