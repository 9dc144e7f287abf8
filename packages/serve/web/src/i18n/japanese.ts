export const japanese = {} as const;
