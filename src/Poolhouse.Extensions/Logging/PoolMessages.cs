using Microsoft.Extensions.Logging;
using Poolhouse.Workers;

namespace Poolhouse.Extensions.Logging;

/// <summary>The log entries and their event ids. The guide lists them; a test compares both.</summary>
internal static partial class PoolMessages
{
    [LoggerMessage(
        EventId = 1000, EventName = "PoolStarted", Level = LogLevel.Information, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}' started ({Kind}).")]
    public static partial void PoolStarted(ILogger logger, string poolName, string kind);

    [LoggerMessage(
        EventId = 1001, EventName = "PoolClosed", Level = LogLevel.Information, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}' closed: rents: {Rented}, items created: {Created}, destroyed: {Destroyed}.")]
    public static partial void PoolClosed(ILogger logger, string poolName, long rented, long created, long destroyed);

    [LoggerMessage(
        EventId = 1010, EventName = "WarmedUp", Level = LogLevel.Debug,
        Message = "Pool '{PoolName}' created {Count} items in {Seconds:0.###} s.")]
    public static partial void WarmedUp(ILogger logger, string poolName, int count, double seconds);

    [LoggerMessage(
        EventId = 1011, EventName = "ItemDestroyed", Level = LogLevel.Debug,
        Message = "Pool '{PoolName}' destroyed an item: {Reason}.")]
    public static partial void ItemDestroyed(ILogger logger, string poolName, DestroyReason reason);

    [LoggerMessage(
        EventId = 1012, EventName = "WarmUpIncomplete", Level = LogLevel.Warning,
        Message = "Pool '{PoolName}' did not create {Count} items within {Seconds:0.###} s: {Reason}")]
    public static partial void WarmUpIncomplete(
        ILogger logger, Exception? failure, string poolName, int count, double seconds, string reason);

    [LoggerMessage(
        EventId = 1013, EventName = "WarmUpTooLarge", Level = LogLevel.Warning,
        Message = "The warm-up of pool '{PoolName}' is too large: {Count}, at most {Max}.")]
    public static partial void WarmUpTooLarge(ILogger logger, string poolName, int count, int max);

    [LoggerMessage(
        EventId = 1100, EventName = "OutageBegan", Level = LogLevel.Warning, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}' is in an outage: an item could not be created because of {Cause}. The pool keeps trying, " +
            "next within {RetryAfterSeconds:0.###} s, and needs no help once the server is back. Callers are refused after " +
            "OutageTimeout: raise it if they should wait for longer.")]
    public static partial void OutageBegan(
        ILogger logger, Exception failure, string poolName, string cause, double retryAfterSeconds);

    [LoggerMessage(
        EventId = 1102, EventName = "CreateFailedAgain", Level = LogLevel.Debug, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}' still cannot create an item (failures in a row: {Failures}, {FailureType}); next " +
            "attempt within {RetryAfterSeconds:0.###} s.")]
    public static partial void CreateFailedAgain(
        ILogger logger, string poolName, int failures, double retryAfterSeconds, Type failureType);

    [LoggerMessage(
        EventId = 1103, EventName = "OutagesSummary", Level = LogLevel.Warning,
        Message = "Pool '{PoolName}': further outages in the last 10 s: {Count}.")]
    public static partial void OutagesSummary(ILogger logger, string poolName, long count);

    [LoggerMessage(
        EventId = 1104, EventName = "StateCreateFailed", Level = LogLevel.Warning, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}' could not create a state; the next item tries again.")]
    public static partial void StateCreateFailed(ILogger logger, Exception failure, string poolName);

    [LoggerMessage(
        EventId = 1105, EventName = "WorkerStartFailed", Level = LogLevel.Warning, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}' could not start a thread; next attempt within {RetryAfterSeconds:0.###} s.")]
    public static partial void WorkerStartFailed(
        ILogger logger, Exception failure, string poolName, double retryAfterSeconds);

    [LoggerMessage(
        EventId = 1106, EventName = "WorkerFailuresSummary", Level = LogLevel.Warning,
        Message = "Pool '{PoolName}': further states and threads not created in the last 10 s: {Count}.")]
    public static partial void WorkerFailuresSummary(ILogger logger, string poolName, long count);

    [LoggerMessage(
        EventId = 1107, EventName = "CreateFailedLate", Level = LogLevel.Debug, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}' could not create an item, but has created another one since that creation began " +
            "({FailureType}).")]
    public static partial void CreateFailedLate(ILogger logger, string poolName, Type failureType);

    [LoggerMessage(
        EventId = 1101, EventName = "Recovered", Level = LogLevel.Information,
        Message = "Pool '{PoolName}' creates items again: the outage lasted {Seconds:0.###} s; callers refused: {Refused}.")]
    public static partial void Recovered(ILogger logger, string poolName, double seconds, long refused);

    [LoggerMessage(
        EventId = 1110, EventName = "ItemFailed", Level = LogLevel.Warning, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}' destroyed an item that failed: {Reason}.")]
    public static partial void ItemFailed(ILogger logger, Exception? failure, string poolName, DestroyReason reason);

    [LoggerMessage(
        EventId = 1111, EventName = "ItemFailuresSummary", Level = LogLevel.Warning,
        Message = "Pool '{PoolName}' destroyed further items that failed in the last 10 s: {Count}.")]
    public static partial void ItemFailuresSummary(ILogger logger, string poolName, long count);

    [LoggerMessage(
        EventId = 1200, EventName = "WaitTimedOut", Level = LogLevel.Warning, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}': no item within {Seconds:0.###} s ({Counts}). {Advice}")]
    public static partial void WaitTimedOut(ILogger logger, string poolName, double seconds, string counts, string advice);

    [LoggerMessage(
        EventId = 1202, EventName = "Refused", Level = LogLevel.Debug, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}' refused a caller after {Seconds:0.###} s, because it is in an outage.")]
    public static partial void Refused(ILogger logger, string poolName, double seconds);

    [LoggerMessage(
        EventId = 1203, EventName = "WaitTimeoutsSummary", Level = LogLevel.Warning,
        Message = "Pool '{PoolName}': further callers that timed out in the last 10 s: {Count}.")]
    public static partial void WaitTimeoutsSummary(ILogger logger, string poolName, long count);

    [LoggerMessage(
        EventId = 1201, EventName = "Shed", Level = LogLevel.Warning, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}' shed a caller after {Seconds:0.###} s ({Counts}). {Advice}")]
    public static partial void Shed(ILogger logger, string poolName, double seconds, string counts, string advice);

    [LoggerMessage(
        EventId = 1204, EventName = "ShedsSummary", Level = LogLevel.Warning,
        Message = "Pool '{PoolName}': further callers shed in the last 10 s: {Count}.")]
    public static partial void ShedsSummary(ILogger logger, string poolName, long count);

    [LoggerMessage(
        EventId = 1210, EventName = "LeakSuspected", Level = LogLevel.Warning, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}': item {ItemNumber} has been leased for {Seconds:0.###} s. Label: {Label}. Rented at: " +
            "{RentedAt}")]
    public static partial void LeakSuspected(
        ILogger logger, string poolName, long itemNumber, double seconds, string label, string rentedAt);

    [LoggerMessage(
        EventId = 1212, EventName = "LeaksSummary", Level = LogLevel.Warning,
        Message = "Pool '{PoolName}': further suspected leaks in the last 10 s: {Count}.")]
    public static partial void LeaksSummary(ILogger logger, string poolName, long count);

    [LoggerMessage(
        EventId = 1220, EventName = "WorkFailed", Level = LogLevel.Error, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}': work '{Label}' failed.")]
    public static partial void WorkFailed(ILogger logger, Exception failure, string poolName, string label);

    [LoggerMessage(
        EventId = 1221, EventName = "WorkFailuresSummary", Level = LogLevel.Error,
        Message = "Pool '{PoolName}': further work items that failed in the last 10 s: {Count}.")]
    public static partial void WorkFailuresSummary(ILogger logger, string poolName, long count);

    [LoggerMessage(
        EventId = 1222, EventName = "WorkDropped", Level = LogLevel.Warning, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}' dropped work '{Label}' after {Seconds:0.###} s in the queue: {Reason}.")]
    public static partial void WorkDropped(ILogger logger, string poolName, string label, WorkDropReason reason, double seconds);

    [LoggerMessage(
        EventId = 1223, EventName = "WorkDropsSummary", Level = LogLevel.Warning,
        Message = "Pool '{PoolName}': further work items dropped in the last 10 s: {Count}.")]
    public static partial void WorkDropsSummary(ILogger logger, string poolName, long count);

    [LoggerMessage(
        EventId = 1224, EventName = "WorkStuck", Level = LogLevel.Warning, SkipEnabledCheck = true,
        Message = "Pool '{PoolName}': work '{Label}' {State} after {Seconds:0.###} s.")]
    public static partial void WorkStuck(ILogger logger, string poolName, string label, double seconds, string state);

    [LoggerMessage(
        EventId = 1225, EventName = "StuckWorkSummary", Level = LogLevel.Warning,
        Message = "Pool '{PoolName}': further work items that were stuck in the last 10 s: {Count}.")]
    public static partial void StuckWorkSummary(ILogger logger, string poolName, long count);

    [LoggerMessage(
        EventId = 1300, EventName = "Reconfigured", Level = LogLevel.Information,
        Message = "Pool '{PoolName}' was reconfigured: {Changes}.")]
    public static partial void Reconfigured(ILogger logger, string poolName, string changes);

    [LoggerMessage(
        EventId = 1301, EventName = "ReloadRejected", Level = LogLevel.Warning,
        Message = "Pool '{PoolName}' keeps its settings; the change was rejected: {Reason}")]
    public static partial void ReloadRejected(ILogger logger, string poolName, string reason);

    [LoggerMessage(
        EventId = 1310, EventName = "SizeAdvice", Level = LogLevel.Information,
        Message = "Pool '{PoolName}': {Advice}")]
    public static partial void SizeAdvice(ILogger logger, string poolName, string advice);

    [LoggerMessage(
        EventId = 1400, EventName = "Drained", Level = LogLevel.Information,
        Message = "Pool '{PoolName}' was drained in {Seconds:0.###} s.")]
    public static partial void Drained(ILogger logger, string poolName, double seconds);

    [LoggerMessage(
        EventId = 1401, EventName = "DrainIncomplete", Level = LogLevel.Warning,
        Message = "Pool '{PoolName}' was not drained within {Seconds:0.###} s: items still leased: {Leased}, being created: " +
            "{Creating}, oldest lease {OldestLeaseSeconds:0.###} s. Oldest leases: {OldestLeases}.")]
    public static partial void DrainIncomplete(
        ILogger logger,
        string poolName,
        double seconds,
        long leased,
        long creating,
        double oldestLeaseSeconds,
        string oldestLeases);
}
