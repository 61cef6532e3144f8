using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Kernel;

namespace Poolhouse.Resources.Engine.Items;

/// <summary>Where an item was rented, and by which asynchronous flow.</summary>
internal sealed class LeaseTrace
{
    private static readonly AsyncLocal<Flow?> _flow = new();

    private readonly StackTrace _stack;

    private LeaseTrace(Flow flow, StackTrace stack)
    {
        CurrentFlow = flow;
        _stack = stack;
    }

    /// <summary>The caller's own frames.</summary>
    public StackTrace Site => CallerFrames.Of(_stack);

    private Flow CurrentFlow { get; }

    /// <summary>Captures the caller's stack and flow. Called on the caller's stack, before it waits.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static LeaseTrace Capture() =>
        new(_flow.Value ??= new Flow(), new StackTrace(skipFrames: 3, fNeedFileInfo: false));

    /// <summary>Whether both rents come from one flow, or from flows that it started.</summary>
    public bool IsOfSameFlow(LeaseTrace other) => CurrentFlow == other.CurrentFlow;

    private sealed class Flow;
}
