using System.Runtime.ExceptionServices;
using Poolhouse.Kernel.Threading;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>Posts a callback to a context and blocks until it has run.</summary>
internal sealed class BlockingSend(SendOrPostCallback callback, object? state)
{
    /// <summary>The longest time a waiter keeps waiting if it was not woken although the event is set.</summary>
    public static readonly TimeSpan RecheckInterval = TimeSpan.FromSeconds(1);

    private readonly BlockingEvent _ended = new();
    private ExceptionDispatchInfo? _failure;

    public static void Run(SendOrPostCallback callback, object? state, Action<SendOrPostCallback, object?> post)
    {
        var send = new BlockingSend(callback, state);
        post(static send => ((BlockingSend)send!).Run(), send);
        while (!send._ended.Wait(RecheckInterval))
        {
            // The waiter would be woken, unless the thread that sets the event was interrupted at that moment.
        }

        send._failure?.Throw();
    }

    private void Run()
    {
#pragma warning disable CA1031 // It is rethrown on the calling thread.
        try
        {
            callback(state);
        }
        catch (Exception failure)
        {
            _failure = ExceptionDispatchInfo.Capture(failure);
        }
#pragma warning restore CA1031

        _ended.Set();
        if (_failure is { } thrown)
        {
            Worker.Current?.Note(WorkItem.NameOf(callback), thrown.SourceException);
        }
    }
}
