namespace Poolhouse.Tests;

/// <summary>A call on a thread of its own that a test can interrupt while it blocks.</summary>
internal sealed class Interruptible
{
    private readonly Thread _thread;

    private Interruptible(Action body)
    {
        _thread = new Thread(() => Run(body)) { IsBackground = true };
        _thread.Start();
    }

    /// <summary>The exception that the call threw; null if it succeeded.</summary>
    public Exception? Failure { get; private set; }

    /// <summary>Whether the interrupt was left for the first wait after the call.</summary>
    public bool WasStillPending { get; private set; }

    public static Interruptible Start(Action body) => new(body);

    /// <summary>Returns when the call blocks, or has ended.</summary>
    public void AwaitBlocked() => Background.Until(
        () => (_thread.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != ThreadState.Running);

    /// <summary>Returns when the call does not block any more, if only for a moment.</summary>
    public void AwaitUnblocked() => Background.Until(() => !_thread.ThreadState.HasFlag(ThreadState.WaitSleepJoin));

    public void Interrupt() => _thread.Interrupt();

    public void Join() => Assert.True(_thread.Join(Background.Limit), "The thread did not end.");

    private void Run(Action body)
    {
        try
        {
            body();
        }
        catch (Exception failure)
        {
            Failure = failure;
        }

        try
        {
            // Not a ManualResetEventSlim: on a busy machine, its time may elapse while it spins, before it blocks.
            using var never = new ManualResetEvent(initialState: false);
            never.WaitOne(TimeSpan.FromMilliseconds(1));
        }
        catch (ThreadInterruptedException)
        {
            WasStillPending = true;
        }
    }
}
