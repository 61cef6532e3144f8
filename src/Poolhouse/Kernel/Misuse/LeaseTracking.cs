using Poolhouse.Kernel.Threading;

namespace Poolhouse.Kernel.Misuse;

/// <summary>
/// The scope that the leases of the current asynchronous flow belong to. Off, and not read on a rent, unless a test turned it on.
/// </summary>
internal static class LeaseTracking
{
    private static readonly AsyncLocal<RentScope?> _ofFlow = new();
    private static RentScope? _ofProcess;
    private static bool _isOn;

    /// <summary>Whether pools and options that are created from now on track their leases.</summary>
    public static bool IsOn => Volatile.Read(ref _isOn);

    /// <summary>The scope of a rent: the innermost of the flow that has not ended, or else that of the process.</summary>
    public static RentScope? Current => IsOn ? ActiveOfFlow() ?? Volatile.Read(ref _ofProcess) : null;

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

    public static void Enable()
    {
        if (!IsOn)
        {
            FinalizerThread.Find();
            Volatile.Write(ref _isOn, true);
        }
    }

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
