using Poolhouse.Testing.Faults.Internal;

namespace Poolhouse.Testing;

/// <summary>Holds data until <see cref="Release"/> is called, then delivers it completely and in order: a late reply.</summary>
/// <remarks>Its removal delivers everything, too.</remarks>
public sealed class HoldToxic : Toxic
{
    private readonly Lock _gate = new();
    private TaskCompletionSource _released = NewSignal();
    private TaskCompletionSource _holding = NewSignal();
    private long _lastReleased;
    private int _held;

    /// <summary>Delivers the data held now, on every connection. Later data is held again.</summary>
    public void Release()
    {
        TaskCompletionSource released;
        lock (_gate)
        {
            (released, _released) = (_released, NewSignal());
            RenewSignalLocked();
            _lastReleased = FaultPiece.LastNumber;
        }

        released.SetResult();
    }

    /// <summary>Waits until data is held that arrived after the last <see cref="Release"/>.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>A task that completes as soon as data is held.</returns>
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
        if (TryKeep(stage.Number, out var released))
        {
            try
            {
                await stage.WaitAsync(released).ConfigureAwait(false);
            }
            finally
            {
                EndKeeping();
            }
        }

        await stage.PassOnAsync(bytes).ConfigureAwait(false);
    }

    // Until the next release, but a piece that arrived before a release may get here only after it.
    private bool TryKeep(long number, out Task released)
    {
        lock (_gate)
        {
            released = _released.Task;
            if (number <= _lastReleased)
            {
                return false;
            }

            _held++;
            _holding.TrySetResult();
            return true;
        }
    }

    // Data may also leave because the toxic was removed or the connection ended.
    private void EndKeeping()
    {
        lock (_gate)
        {
            if (--_held == 0)
            {
                RenewSignalLocked();
            }
        }
    }

    // A signal that has not been set is kept, because a test may be waiting for it.
    private void RenewSignalLocked()
    {
        if (_holding.Task.IsCompleted)
        {
            _holding = NewSignal();
        }
    }

    // No user code runs under the gate or on the stack of Release.
    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
