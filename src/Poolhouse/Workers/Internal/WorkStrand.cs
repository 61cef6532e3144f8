namespace Poolhouse.Workers;

/// <summary>The items of one key: one of them is runnable or runs, the others wait behind it. Under the intake lock of its lane.</summary>
internal sealed class WorkStrand
{
    public WorkList Waiting { get; } = new();
}
