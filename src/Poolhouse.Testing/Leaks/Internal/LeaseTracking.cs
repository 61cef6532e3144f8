using Poolhouse.Kernel.Misuse;
using Poolhouse.Kernel.Time;

namespace Poolhouse.Testing.Leaks;

/// <summary>
/// The scope that the leases of the current asynchronous flow belong to. Off, and not read on a rent, unless a test turned it on.
/// </summary>
internal sealed class LeaseTracking : LeaseWatch
{
    private static readonly AsyncLocal<RentScope?> _ofFlow = new();
    private static RentScope? _ofProcess;

    /// <summary>The scope of a rent: the innermost of the flow that has not ended, or else that of the process.</summary>
    public static RentScope? Current => ActiveOfFlow() ?? Volatile.Read(ref _ofProcess);

    public static RentScope? OfFlow
    {
        get => _ofFlow.Value;
        set => _ofFlow.Value = value;
    }

    public static RentScope? OfProcess
    {
        get => Volatile.Read(ref _ofProcess);
        set => Volatile.Write(ref _ofProcess, value);
    }

    /// <summary>Pools and options that are created from now on track their leases.</summary>
    public static void Enable()
    {
        if (Installed is null)
        {
            FinalizerThread.Find();
            Installed = new LeaseTracking();
        }
    }

    public override object? FindScope() => Current;

    public override Action BeginRent(object scope, string pool, PoolClock clock, in LeaseSite site) =>
        ((RentScope)scope).Begin(pool, clock, site).End;

    public override void OnCreated(IPool pool) => LivePools.Add(pool);

    public override void OnDisposed(IPool pool) => LivePools.Remove(pool);

    // A flow that was started in a scope may outlive it.
    private static RentScope? ActiveOfFlow()
    {
        var scope = OfFlow;
        while (scope is { HasEnded: true })
        {
            scope = scope.Outer;
        }

        return scope;
    }
}
