using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;

namespace Poolhouse.Metrics;

/// <summary>The instruments of the process-wide meter.</summary>
// The first meter and the first event source of a process take longer than all else that the first rent does. So a thread creates
// them a little later. Listeners and sessions that start after the first pool find the instruments with all pools. Only those
// that exist already would miss something, so with one of them, the instruments are created at once.
internal static class SharedInstruments
{
    private const int Delayed = 1;
    private const int Published = 2;

    private static readonly TimeSpan _delay = TimeSpan.FromMilliseconds(100);
    private static readonly PoolInstruments _instruments = new();
    private static Meter? _meter;
    private static int _state;

    public static PoolInstruments Get()
    {
        if (Volatile.Read(ref _state) != Published && MayHaveListeners())
        {
            Publish();
        }
        else if (Interlocked.CompareExchange(ref _state, Delayed, 0) == 0)
        {
            try
            {
                new Thread(PublishLater) { IsBackground = true, Name = "Poolhouse metrics" }.UnsafeStart();
            }
            catch (Exception failure) when (failure is ThreadStartException or OutOfMemoryException)
            {
                // Pools work without these instruments.
            }
        }

        return _instruments;
    }

    // A listener for meters or events creates this event source when it is constructed, and so does the first meter. If there is
    // none at all, event sources are switched off, and this is unknown. A session from the start is requested by a variable.
    private static bool MayHaveListeners()
    {
        var isKnown = false;
        foreach (var source in EventSource.GetSources())
        {
            isKnown = true;
            if (source.Name is "System.Diagnostics.Metrics")
            {
                return true;
            }
        }

        return !isKnown
            || System.Environment.GetEnvironmentVariable("DOTNET_EnableEventPipe") is not null
            || System.Environment.GetEnvironmentVariable("DOTNET_DiagnosticPorts") is not null;
    }

    private static void PublishLater()
    {
#pragma warning disable RS0030 // The clock of no pool.
        Thread.Sleep(_delay);
#pragma warning restore RS0030
        UserCode.Notify(0, 0, static (_, _) => Publish());
    }

    private static void Publish()
    {
        if (Interlocked.Exchange(ref _state, Published) != Published)
        {
            _meter = new Meter(PoolInstruments.Options());
            _instruments.Publish(_meter);
        }
    }
}
