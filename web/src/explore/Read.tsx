/** What only a screen reader says, such as the meaning of a column. */
export const Read = (props: { text: string }) => <span class="only-read">{props.text}</span>;
