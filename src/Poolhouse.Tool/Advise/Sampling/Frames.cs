using System.Globalization;
using System.Text.RegularExpressions;
using Microsoft.Diagnostics.Tracing.Etlx;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>A stack as its methods, the innermost first, and what it says about the application.</summary>
internal sealed partial class Frames
{
    private const int Deepest = 64;

    // Modules whose methods are not what a reader can change.
    private static readonly string[] _libraries =
    [
        "System.", "Microsoft.", "mscorlib", "netstandard", "Poolhouse", "Npgsql", "MySqlConnector", "MySql.", "Oracle.",
        "Dapper", "StackExchange.Redis", "Pipelines.Sockets", "RabbitMQ.", "MailKit", "MimeKit", "Renci.", "Grpc.", "Newtonsoft.",
        "MongoDB.", "FirebirdSql.",
    ];

    private static readonly string[] _collections =
    [
        "System.Collections.Generic.List`1", "System.Collections.Generic.Dictionary`2", "System.Collections.Generic.HashSet`1",
        "System.Collections.Generic.Queue`1", "System.Collections.Generic.Stack`1", "System.Collections.Generic.PriorityQueue`2",
        "System.Buffers.ArrayBufferWriter`1",
    ];

    private readonly IReadOnlyList<Frame> _frames;
    private readonly int _app;

    private Frames(IReadOnlyList<Frame> frames)
    {
        _frames = frames;
        _app = frames.TakeWhile(frame => frame.IsLibrary).Count();
    }

    /// <summary>The innermost method of the application; empty if there is none.</summary>
    public string Method => MethodAt(_app);

    /// <summary>Whether the thread pool did it, perhaps because the application gave it work.</summary>
    public bool IsThreadPool => _frames.Take(_app).Any(frame => frame.Name.Contains("ThreadPool", StringComparison.Ordinal));

    public static Frames Of(TraceCallStack? stack)
    {
        var frames = new List<Frame>();
        for (; stack is not null && frames.Count < Deepest; stack = stack.Caller)
        {
            var name = stack.CodeAddress.FullMethodName;
            if (name.Length > 0)
            {
                frames.Add(new Frame(name, IsOfLibrary(stack.CodeAddress.ModuleName)));
            }
        }

        return new Frames(frames);
    }

    /// <summary>The place of an allocation, without its figures.</summary>
    public AllocationSite AllocationOf(string type)
    {
        var inner = _frames.Take(_app).Select(frame => frame.Name).ToList();
        if (inner.Exists(IsPool))
        {
            return new AllocationSite(type, Method, AllocationWay.Pool, "");
        }

        // The constructors of the application's own types: one pooled object saves all that they allocate.
        var constructors = _frames.Skip(_app).TakeWhile(frame => !frame.IsLibrary && IsConstructor(frame.Name)).Count();
        if (constructors > 0 && _app + constructors < _frames.Count)
        {
            return new AllocationSite(
                type, MethodAt(_app + constructors), AllocationWay.Constructor, TypeOf(_frames[_app + constructors - 1].Name));
        }

        var (way, owner) = WayOf(inner, type);
        return new AllocationSite(type, Method, way, owner);
    }

    private static (AllocationWay Way, string Owner) WayOf(List<string> inner, string type)
    {
        foreach (var name in inner)
        {
            if (IsOf(name, "System.IO.MemoryStream"))
            {
                return (IsToArray(name) ? AllocationWay.Copy : AllocationWay.MemoryStream, "");
            }

            if (IsOf(name, "System.Text.StringBuilder"))
            {
                return (type == "System.String" ? AllocationWay.Copy : AllocationWay.StringBuilder, "");
            }

            if (_collections.FirstOrDefault(collection => IsOf(name, collection)) is { } grown)
            {
                return IsToArray(name) ? (AllocationWay.Copy, "") : (AllocationWay.Collection, grown);
            }
        }

        return inner.Exists(name => CopyMethod().IsMatch(name)) ? (AllocationWay.Copy, "")
            : inner is [.., var outermost] && IsConstructor(outermost) ? (AllocationWay.Constructor, TypeOf(outermost))
            : (AllocationWay.Direct, "");
    }

    private static bool IsToArray(string name) => name.Contains(".ToArray(", StringComparison.Ordinal);

    private static bool IsPool(string name) => name.StartsWith("Poolhouse.", StringComparison.Ordinal)
        || name.Contains("ArrayPool`1", StringComparison.Ordinal) || name.Contains("ObjectPool`1", StringComparison.Ordinal)
        || name.Contains("MemoryPool", StringComparison.Ordinal)
        || name.Contains("RecyclableMemoryStream", StringComparison.Ordinal);

    private static bool IsOf(string method, string type) => method.StartsWith(type, StringComparison.Ordinal)
        && method.Length > type.Length && method[type.Length] is '.' or '[';

    private static bool IsConstructor(string name) => name.Contains("..ctor(", StringComparison.Ordinal);

    private static string TypeOf(string constructor) =>
        Clean(constructor[..constructor.IndexOf("..ctor(", StringComparison.Ordinal)]);

    private static bool IsOfLibrary(string module) =>
        Array.Exists(_libraries, name => name[^1] == '.' ? module.StartsWith(name, StringComparison.Ordinal)
            : module == name || module.StartsWith(name + ".", StringComparison.Ordinal));

    private string MethodAt(int index) => index < _frames.Count ? NameOf(_frames[index].Name) : "";

    /// <summary>
    /// The name of a method as in its source: without parameters, and without what the compiler adds. Lambdas are numbered in the
    /// order of the source, because a whole web API may be in the lambdas of one method.
    /// </summary>
    internal static string NameOf(string name)
    {
        var plain = Parameters().Replace(name, "");
        plain = Generated().Replace(plain, found => $".{found.Groups["method"]}" + (
            found.Groups["function"] is { Success: true } function ? $".{function}"
            : int.TryParse(found.Groups["lambda"].Value, NumberStyles.None, CultureInfo.InvariantCulture, out var lambda)
                ? string.Create(CultureInfo.InvariantCulture, $" (lambda {lambda + 1})")
            : ""));
        return Clean(plain.Replace("<Main>$", "Main", StringComparison.Ordinal).Replace("+<>c", "", StringComparison.Ordinal)
            .Replace("..ctor", ".new", StringComparison.Ordinal));
    }

    private static string Clean(string name) => Arity().Replace(name, "").Replace('+', '.');

    [GeneratedRegex(@"\(.*$", RegexOptions.None, 1000)]
    private static partial Regex Parameters();

    [GeneratedRegex(
        @"(\+<>c(__DisplayClass[\d_]+)?(`\d+)?)?[.+]<+(?<method>[^<>]+)(>\$)?>" +
            @"(b__(\d+_)?(?<lambda>\d+)\S*|g__(?<function>[^|\s]+)\|\S*|d(__\d+)?(`\d+)?(\[.*\])?\.MoveNext)$",
        RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex Generated();

    [GeneratedRegex(@"`\d+|\[.*\]", RegexOptions.None, 1000)]
    private static partial Regex Arity();

    [GeneratedRegex(
        @"\.(ToArray|ToString|Concat|Join|Substring|ReadAllBytes|ReadAllText|GetString|GetBytes|Clone)\(",
        RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex CopyMethod();

    private sealed record Frame(string Name, bool IsLibrary);
}
