namespace Poolhouse.Workers.Items;

/// <summary>An item that is a task, for debuggers.</summary>
internal interface ITaskItem
{
    Task Task { get; }
}
