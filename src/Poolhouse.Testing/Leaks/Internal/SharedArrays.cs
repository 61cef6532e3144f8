using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Tracing;
using Poolhouse.Kernel;

namespace Poolhouse.Testing.Leaks;

/// <summary>Watches the array pools of .NET through their events, which arrive on the thread that rents or returns.</summary>
// Rents of one id form a queue: .NET announces a return only after the array can be rented again, so the end of a rent may come
// after the beginning of the next rent of the same array, and belongs to the older one.
// An id is a hash code, and two arrays may have the same. Then a leak may be hidden, or reported with the scope and the site of
// the other array's rent; if both arrays were returned, none is reported.
internal sealed class SharedArrays : EventListener
{
    private const string Source = "System.Buffers.ArrayPoolEventSource";
    private const int Rented = 1;
    private const int Returned = 3;

    private static readonly Lazy<SharedArrays> _instance = new(static () => new SharedArrays());

    private static readonly ConcurrentDictionary<string, bool> _ignored = new(StringComparer.OrdinalIgnoreCase);

    private readonly ConcurrentDictionary<(int Id, int Size), ConcurrentQueue<Rent>> _rents = new();

    private SharedArrays()
    {
    }

    /// <summary>Watches from now on, until the end of the process.</summary>
    public static void Watch() => _ = _instance.Value;

    /// <summary>Ignores the rents of an assembly from now on.</summary>
    public static void Ignore(string assembly) => _ignored[assembly] = true;

    public static IEnumerable<Leak> Find(RentScope scope) =>
        from array in _instance.Value._rents
        from rent in array.Value
        where rent.Scope == scope
        orderby rent.Timestamp
        select new Leak(
            LeakKind.SharedArray,
            $"Array pool of .NET, {array.Key.Size} elements",
            TimeProvider.System.GetElapsedTime(rent.Timestamp),
            rent.Site);

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (string.Equals(eventSource.Name, Source, StringComparison.Ordinal))
        {
            EnableEvents(eventSource, EventLevel.Verbose);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        // Called by the base constructor too, before the fields are set.
        if (_rents is null || eventData.Payload is not [int id, int size, ..])
        {
            return;
        }

        if (eventData.EventId == Returned)
        {
            End((id, size));
        }
        else if (eventData.EventId == Rented && LeaseTracking.Current is { } scope)
        {
            Begin((id, size), scope);
        }
    }

    private void Begin((int Id, int Size) array, RentScope scope)
    {
        if (Site() is { } site)
        {
            _rents.GetOrAdd(array, static _ => new ConcurrentQueue<Rent>())
                .Enqueue(new Rent(scope, site, TimeProvider.System.GetTimestamp()));
        }
    }

    private void End((int Id, int Size) array)
    {
        if (!_rents.IsEmpty && _rents.TryGetValue(array, out var queue))
        {
            queue.TryDequeue(out _);
        }
    }

    // Null if .NET, ASP.NET Core, Entity Framework Core or an ignored assembly rented: some of their types keep an array, or
    // leave it to the garbage collector.
    private static StackTrace? Site()
    {
        var stack = new StackTrace(fNeedFileInfo: false);
        var renter = stack.GetFrames()
            .Select(static frame => DiagnosticMethodInfo.Create(frame))
            .SkipWhile(static method => method is null || IsOfTheListener(method))
            .FirstOrDefault(static method => method is not null && !IsOfThePool(method));
        return renter is null || CallerFrames.IsOfDotNet(renter.DeclaringAssemblyName) || IsIgnored(renter.DeclaringAssemblyName)
            ? null
            : CallerFrames.Of(new StackTrace(fNeedFileInfo: true));
    }

    private static bool IsIgnored(string assembly) =>
        !_ignored.IsEmpty && _ignored.ContainsKey(assembly.Split(',', count: 2)[0]);

    private static bool IsOfTheListener(DiagnosticMethodInfo method) =>
        method.DeclaringTypeName is not { } type || type.StartsWith("Poolhouse.Testing.Leaks.", StringComparison.Ordinal);

    private static bool IsOfThePool(DiagnosticMethodInfo method) =>
        method.DeclaringTypeName is { } type
        && (type.StartsWith("System.Buffers.", StringComparison.Ordinal)
        || type.StartsWith("System.Diagnostics.Tracing.", StringComparison.Ordinal));

    private sealed record Rent(RentScope Scope, StackTrace Site, long Timestamp);
}
