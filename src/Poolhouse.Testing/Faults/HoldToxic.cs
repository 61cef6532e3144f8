using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>Keeps what comes until it is told to let it go, and then lets it through, in order and complete: a reply that comes late.</summary>
/// <remarks>Its removal lets everything go, too.</remarks>
public sealed class HoldToxic : Toxic
{
    private readonly Lock _gate = new();
    private TaskCompletionSource _released = NewSignal();
    private TaskCompletionSource _holding = NewSignal();
    private long _lastReleased;

    /// <summary>Lets go what is kept now, of every connection. What comes later is kept again.</summary>
    public void Release()
    {
        TaskCompletionSource released;
        lock (_gate)
        {
            (released, _released) = (_released, NewSignal());
            _holding = NewSignal();
            _lastReleased = FaultPiece.LastNumber;
        }

        released.SetResult();
    }

    /// <summary>Waits until something is kept that came after the last <see cref="Release"/>.</summary>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <returns>A task that ends as soon as something is kept.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public Task WaitUntilHoldingAsync(CancellationToken cancellationToken = default)
    {
        lock (_gate)
        {
            return _holding.Task.WaitAsync(cancellationToken);
        }
    }

    internal override async ValueTask PassAsync(ReadOnlyMemory<byte> bytes, ToxicStage stage)
    {
        await stage.WaitAsync(KeepAsync(stage.Number)).ConfigureAwait(false);
        await stage.PassOnAsync(bytes).ConfigureAwait(false);
    }

    // Until the next release, but a piece that arrived before a release may get here only after it.
    private Task KeepAsync(long number)
    {
        lock (_gate)
        {
            if (number <= _lastReleased)
            {
                return Task.CompletedTask;
            }

            _holding.TrySetResult();
            return _released.Task;
        }
    }

    // Nobody's code runs under the gate, nor on the stack of Release.
    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
