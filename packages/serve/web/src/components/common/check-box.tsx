import type { ReactNode } from 'react';

interface CheckBoxProps {
  checked: boolean;
  onChange: () => void;
  /** What is read out, where nothing stands beside it. */
  'aria-label'?: string;
  className?: string;
  children?: ReactNode;
}

/** A box to tick with the words beside it: for lists of hundreds, which the library's own would slow down. */
export function CheckBox({ children, className, ...input }: CheckBoxProps) {
  if (children === undefined) return <input type="checkbox" className={`check-box ${className ?? ''}`} {...input} />;
  return (
    <label className={`check ${className ?? ''}`}>
      <input type="checkbox" className="check-box" {...input} />
      {children}
    </label>
  );
}
