using System.Collections.Immutable;
using System.Linq;
using System.Reflection;
using Microsoft.CodeAnalysis;

namespace Poolhouse.Analyzers;

/// <summary>Every rule: id, title, message, default severity. docs/rules has a section for each.</summary>
// A rule is a warning only if the bug happens on every path that reaches the reported place. What is merely possible, or a matter
// of taste, is reported as information or not at all.
internal static class Rules
{
    // Before the rules, which are created with it.
    private static readonly string _documentation = typeof(Rules).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .First(static each => string.Equals(each.Key, "DocumentationUrl", System.StringComparison.Ordinal)).Value!;

    // Leases and pools of Poolhouse

    public static readonly DiagnosticDescriptor LeaseNeverEnded = Warning(
        "PH1001", "A lease is never ended",
        "The lease is never disposed, discarded, detached or passed on: its item never returns to the pool");

    public static readonly DiagnosticDescriptor UsedAfterLease = Warning(
        "PH1002", "An item is used after its lease has ended",
        "'{0}' is used after the lease has ended on every path that leads here");

    public static readonly DiagnosticDescriptor ItemEscapes = Warning(
        "PH1003", "An item outlives its lease",
        "'{0}' leaves the method, but its lease ends here: return the lease, or detach the item");

    public static readonly DiagnosticDescriptor RentNotAwaited = Warning(
        "PH1004", "A rent is not awaited, or its task is used twice", "{0}");

    public static readonly DiagnosticDescriptor BlockingRent = Information(
        "PH1005", "A rent blocks in an asynchronous method",
        "'Rent' may block the thread until an item is free: use 'await RentAsync'");

    public static readonly DiagnosticDescriptor LeaseAroundAwait = Hidden(
        "PH1006",
        "A lease around an await is not tainted on failure",
        "If the await fails halfway, the item returns to the pool as if it were sound: use 'UseAsync', or call 'Taint' in a " +
        "catch block");

    public static readonly DiagnosticDescriptor DetachedItemDropped = Warning(
        "PH1007", "A detached item is thrown away",
        "The result of '{0}' is not used: nothing can dispose or return the item any more");

    public static readonly DiagnosticDescriptor DefaultLease = Information(
        "PH1008", "A default lease is used", "The lease is 'default' on every path that leads here: '{0}' throws");

    public static readonly DiagnosticDescriptor NestedRent = Information(
        "PH1009",
        "Two items of one pool are held at once",
        "A second item of '{0}' is rented while the first is held: callers that hold one item each may wait for one another");

    public static readonly DiagnosticDescriptor TaskOutlivesLease = Warning(
        "PH1010", "A task outlives the lease that it uses",
        "The task is returned without being awaited, and the lease that it uses ends here");

    public static readonly DiagnosticDescriptor ReturnedUnderLease = Warning(
        "PH1011", "A leased item is returned by hand",
        "The item belongs to a lease, which returns it when it ends: this is a second return");

    public static readonly DiagnosticDescriptor BufferKept = Warning(
        "PH1012", "The memory of a buffer lease is used after its end", "{0}");

    public static readonly DiagnosticDescriptor PoolForOneRent = Information(
        "PH1013", "A pool serves one rent",
        "The pool is created for one rent: keep it in a static field, or register it as a singleton");

    // Pools of .NET

    public static readonly DiagnosticDescriptor ReturnedTwice = Warning(
        "PH2001", "An item is returned twice", "'{0}' has already been returned on every path that leads here");

    public static readonly DiagnosticDescriptor UsedAfterReturn = Warning(
        "PH2002", "An item is used after its return", "{0}");

    public static readonly DiagnosticDescriptor ReturnedInTryAndHandler = Warning(
        "PH2003",
        "An item is returned in a try block and again in its catch or finally block",
        "'{0}' may have been returned in the try block when it is returned here: return it in the finally block only");

    public static readonly DiagnosticDescriptor ReturnedToOtherPool = Warning(
        "PH2004", "An item is returned to another pool", "'{0}' was rented from '{1}' and is returned to '{2}'");

    public static readonly DiagnosticDescriptor NeverReturned = Information(
        "PH2005", "An item is not returned", "{0}");

    public static readonly DiagnosticDescriptor NotReturnedOnException = Information(
        "PH2006", "An item is not returned when an exception is thrown",
        "'{0}' is lost to the pool when an exception is thrown before its return");

    public static readonly DiagnosticDescriptor LengthAssumed = Warning(
        "PH2007",
        "The length of a rented array is not the length that was requested",
        "'{0}' may be longer than requested: use the requested length");

    public static readonly DiagnosticDescriptor ReferencesKept = Information(
        "PH2008", "References stay alive in a returned array",
        "'{0}' is returned with its references, which keep their objects alive: clear it");

    public static readonly DiagnosticDescriptor RentedArrayExposed = Information(
        "PH2009", "A public member returns a rented array", "Callers cannot see that '{0}' is rented and must be returned");

    public static readonly DiagnosticDescriptor MemoryOwner = Warning(
        "PH2010", "A memory owner is not disposed, or its memory is used after its disposal", "{0}");

    public static readonly DiagnosticDescriptor RawPoolAcrossAwait = Hidden(
        "PH2011", "An item of a raw pool is held across an await",
        "'{0}' is held across an await: use a lease, which cannot be returned twice");

    // Streams

    public static readonly DiagnosticDescriptor StreamCopied = Information(
        "PH3001", "A pooled stream is copied to an array",
        "'{0}' copies the stream to an array: use 'WrittenSequence' or 'WriteTo'");

    public static readonly DiagnosticDescriptor StreamNotDisposed = Warning(
        "PH3002", "A pooled stream is never disposed",
        "The stream is never disposed or passed on: its blocks never return to the pool");

    public static readonly DiagnosticDescriptor SequenceKept = Warning(
        "PH3003", "A pooled stream or its memory is used after its end", "{0}");

    // Policies

    public static readonly DiagnosticDescriptor BlockingHook = Information(
        "PH4001", "A hook that runs on the caller's stack blocks",
        "'{0}' runs on the stack of the caller on every rent or return: '{1}' blocks it");

    public static readonly DiagnosticDescriptor CredentialKept = Information(
        "PH4002",
        "A policy keeps a credential",
        "'{0}' is read once, when the policy is created: fetch the credential in 'CreateAsync', so that a changed one is used");

    public static readonly DiagnosticDescriptor NothingReset = Information(
        "PH4003", "A reset of a connection does nothing", "'ResetAsync' returns true without resetting the session of '{0}'");

    /// <summary>All of them, in the order of their ids.</summary>
    public static readonly ImmutableArray<DiagnosticDescriptor> All = ImmutableArray.Create(
        LeaseNeverEnded, UsedAfterLease, ItemEscapes, RentNotAwaited, BlockingRent, LeaseAroundAwait, DetachedItemDropped,
        DefaultLease, NestedRent, TaskOutlivesLease, ReturnedUnderLease, BufferKept, PoolForOneRent,
        ReturnedTwice, UsedAfterReturn, ReturnedInTryAndHandler, ReturnedToOtherPool, NeverReturned, NotReturnedOnException,
        LengthAssumed, ReferencesKept, RentedArrayExposed, MemoryOwner, RawPoolAcrossAwait,
        StreamCopied, StreamNotDisposed, SequenceKept,
        BlockingHook, CredentialKept, NothingReset);

    private static DiagnosticDescriptor Warning(string id, string title, string message) =>
        Create(id, title, message, DiagnosticSeverity.Warning);

    private static DiagnosticDescriptor Information(string id, string title, string message) =>
        Create(id, title, message, DiagnosticSeverity.Info);

    private static DiagnosticDescriptor Hidden(string id, string title, string message) =>
        Create(id, title, message, DiagnosticSeverity.Hidden);

    private static DiagnosticDescriptor Create(string id, string title, string message, DiagnosticSeverity severity) => new(
        id, title, message, "Poolhouse", severity, isEnabledByDefault: true,
        helpLinkUri: $"{_documentation}/rules/{Group(id)}.md#{id.ToLowerInvariant()}");

    private static string Group(string id) =>
        id[2] switch { '1' => "leases", '2' => "dotnet", '3' => "streams", _ => "policies" };
}
