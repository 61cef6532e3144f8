namespace Poolhouse.Workers.Items;

/// <summary>An item that represents a task, for debuggers.</summary>
internal interface ITaskItem
{
    Task Task { get; }
}
