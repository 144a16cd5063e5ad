export interface ProblemKind {
  status: number;
  title: string;
  explanation: string;
  whatToDo: string;
}
