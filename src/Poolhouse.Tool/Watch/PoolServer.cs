namespace Poolhouse.Tool.Watch;

/// <summary>A server of a pool.</summary>
/// <param name="Name">Its name, without secrets.</param>
/// <param name="Health">Whether items are created on it.</param>
/// <param name="Role">Its role, if a pool requires one.</param>
/// <param name="Items">The items that are alive on it.</param>
/// <param name="FailuresInRow">The failures since the last success.</param>
/// <param name="DownFor">The time since the first of them.</param>
/// <param name="RecheckIn">The time until it is tried again.</param>
/// <param name="Failure">The type of the last failure; empty if there is none.</param>
internal sealed record PoolServer(
    string Name, ServerHealth Health, ServerRole Role, long Items, long FailuresInRow, TimeSpan DownFor, TimeSpan RecheckIn,
    string Failure);
