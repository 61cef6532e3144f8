using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Resources.Engine.Items;

/// <summary>Who rented an item: the caller's label and activity, and, if leases are tracked, its stack and flow.</summary>
// What is read is immutable, so that it can be read while its lease ends. The activity is kept, and its ids are read when they
// are needed.
internal sealed class LeaseTrace
{
    private static readonly AsyncLocal<Flow?> _flow = new();

    private readonly Activity? _activity;
    private readonly Flow? _currentFlow;
    private readonly StackTrace? _stack;
    private readonly object? _scope = LeaseWatch.Installed?.FindScope();
    private Action? _endScopedRent;

    private LeaseTrace(string? label, Activity? activity, Flow? flow, StackTrace? stack)
    {
        Label = label;
        _activity = activity;
        _currentFlow = flow;
        _stack = stack;
    }

    public string? Label { get; }

    public ActivityTraceId TraceId => _activity?.TraceId ?? default;

    public ActivitySpanId SpanId => _activity?.SpanId ?? default;

    /// <summary>The caller's own frames, if leases are tracked.</summary>
    public StackTrace? Site => _stack is null ? null : CallerFrames.Of(_stack);

    /// <summary>Captures the caller. Called on the caller's stack, before it waits.</summary>
    /// <param name="withStack">Whether to capture the caller's stack and flow too.</param>
    /// <returns>Null if the caller has neither a label nor an activity, and its stack is not needed.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static LeaseTrace? Capture(bool withStack)
    {
        var (label, activity) = (LeaseLabel.Current, Activity.Current);
        return withStack ? new LeaseTrace(
            label, activity, _flow.Value ??= new Flow(),
            new StackTrace(skipFrames: 3, fNeedFileInfo: LeaseWatch.Installed is not null))
            : label is null && activity is null ? null
            : new LeaseTrace(label, activity, flow: null, stack: null);
    }

    /// <summary>
    /// Adds the lease to the scope of a test in which the caller rented, if any. Called before the caller has the lease.
    /// </summary>
    public void BeginLease(string pool, PoolClock clock, long rentedAt) =>
        _endScopedRent = _scope is null
            ? null
            : LeaseWatch.Installed?.BeginRent(_scope, pool, clock, new LeaseSite(IsSampled: true, rentedAt, _stack));

    /// <summary>Called by the thread that ended the lease.</summary>
    public void EndLease() => _endScopedRent?.Invoke();

    /// <summary>Whether both rents come from one flow, or from flows that it started, as far as that is tracked.</summary>
    public bool IsOfSameFlow(LeaseTrace other) => _currentFlow is not null && _currentFlow == other._currentFlow;

    private sealed class Flow;
}
