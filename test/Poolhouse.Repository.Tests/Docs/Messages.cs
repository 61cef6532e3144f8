using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>
/// Troubleshooting is keyed by message: its headings in code type are messages with {placeholders}, and with … for what is left
/// out.
/// </summary>
public sealed partial class Messages
{
    private static readonly string[] _entries =
    [
        .. MarkdownFile.Read("docs", "troubleshooting.md").Headings()
            .Where(heading => heading.StartsWith('`'))
            .Select(heading => heading.Trim('`')),
    ];

    // Exceptions of a policy for its pool, which reach no caller.
    private static readonly string[] _forThePool = ["The connection is broken.", "The connection is not one of this pool."];

    public static TheoryData<string, Action> Provocations => new()
    {
        { "rent after disposal", () => Disposed(new TieredObjectPool<object>(() => new object())).Get() },
        { "array rent after disposal", () => Disposed(new TieredArrayPool<byte>()).Rent(1) },
        { "late use of a lease", () => _ = Ended(TieredArrayPool<byte>.Shared.RentExact(1)).Span },
        { "use of no lease", () => default(Lease<object>).Detach() },
        { "double return", () => new Paranoid().ReturnTwice() },
        { "foreign return", () => new Paranoid().ReturnForeign() },
        { "write after return", () => new Paranoid().WriteLate() },
        { "create gives null", () => new TieredObjectPool<object>(() => null!).Get() },
        { "invalid option", () => new TieredObjectPool<object>(() => new object(), options: new() { MaxRetained = 0 }) },
        { "invalid options", () => new TieredArrayPool<byte>(new() { IdleTimeout = TimeSpan.Zero, TimeProvider = null! }) },
        { "provider with a name", () => new TieredObjectPoolProvider(new ObjectPoolOptions { Name = "one" }) },
        { "foreign array", () => TieredArrayPool<byte>.Shared.Return(new byte[17]) },
        { "unknown pressure", () => new MemoryPressureSource().Report((MemoryPressure)7) },
        { "negative advance", () => new PooledBufferWriter<byte>().Advance(-1) },
        { "advance too far", () => new PooledBufferWriter<byte>().Advance(1_000_000) },
        { "negative size hint", () => new PooledBufferWriter<byte>().GetSpan(-1) },
        { "late use of a writer", LateUseOfWriter },
        { "writer too long", WriterTooLong },
        { "null item", () => new TieredObjectPool<object>(() => new object()).Return(null!) },
        { "negative length", () => TieredArrayPool<byte>.Shared.Rent(-1) },
        { "too long memory", () => TieredMemoryPool<byte>.Shared.Rent(int.MaxValue) },
        { "writer without capacity", () => new PooledBufferWriter<byte>(0) },
    };

    public static TheoryData<string, Action> ResourceProvocations => new(
        ResourceMessages.All.Concat(StreamMessages.All).Concat(DataMessages.All).Concat(WrapperMessages.All)
            .Concat(EntityFrameworkMessages.All)
            .Concat(HttpMessages.All).Concat(WorkerMessages.All).Concat(LdapMessages.All).Concat(HostingMessages.All)
            .Select(each => new TheoryDataRow<string, Action>(each.Key, each.Value)));

    [Theory]
    [MemberData(nameof(ResourceProvocations), DisableDiscoveryEnumeration = true)]
    [MemberData(nameof(Provocations), DisableDiscoveryEnumeration = true)]
    public void Every_exception_has_one_entry(string what, Action provocation)
    {
        var message = MessageOf(provocation);

        Assert.True(
            _entries.Count(entry => Matches(entry, message)) == 1,
            $"{what}: docs/troubleshooting.md needs one entry for this message.\n{message}");
    }

    [Fact]
    public void Every_entry_is_of_an_exception_that_exists()
    {
        var messages = Provocations.Concat(ResourceProvocations).Select(row => MessageOf(row.Data.Item2)).ToList();

        Problems.AssertNone(_entries.Where(entry => !messages.Exists(message => Matches(entry, message))));
    }

    [Fact]
    public void Every_message_in_the_source_has_an_entry()
    {
        var entries = _entries.Select(entry => Placeholder().Replace(entry, "{}")).ToList();
        var missing =
            from package in new[]
            {
                "Poolhouse",
                "Poolhouse.Data",
                "Poolhouse.Http",
                "Poolhouse.Ldap",
                "Poolhouse.Extensions",
                "Poolhouse.Data.Extensions",
                "Poolhouse.Http.Extensions",
                "Poolhouse.Servers",
                "Poolhouse.Workers",
                "Poolhouse.AspNetCore",
                "Poolhouse.Ldap.Extensions",
            }
            from file in RepositoryFiles.Files("*.cs", "src", package)
            from Match made in ExceptionMade().Matches(File.ReadAllText(file))
            let text = TextOf(made.Groups["arguments"].Value)
            where text.Length > 0 && !_forThePool.Contains(text, StringComparer.Ordinal)
                && !entries.Exists(entry => entry.StartsWith(text, StringComparison.Ordinal) || Matches(entry, text))
            select $"{RepositoryFiles.Relative(file)}: {text}";

        Problems.AssertNone(missing);
    }

    private static T Disposed<T>(T pool)
        where T : IDisposable
    {
        pool.Dispose();
        return pool;
    }

    private static BufferLease<byte> Ended(BufferLease<byte> lease) => Disposed(lease);

    private static void LateUseOfWriter()
    {
        var writer = new PooledBufferWriter<byte>();
        using var buffer = writer.DetachBuffer();
        writer.GetSpan(1);
    }

    private static void WriterTooLong()
    {
        var writer = new PooledBufferWriter<byte>();
        writer.Advance(200);
        writer.GetSpan(int.MaxValue);
    }

    // What .NET adds to a message (parameter, actual value, object name) is not part of it.
    private static string MessageOf(Action provocation) =>
        Addition().Replace(Assert.ThrowsAny<Exception>(provocation).Message.Split('\n')[0].TrimEnd(), "");

    private static bool Matches(string entry, string message) => Regex.IsMatch(
        message,
        $"^{string.Join(".+", Placeholder().Split(entry).Select(Regex.Escape))}$",
        RegexOptions.ExplicitCapture,
        TimeSpan.FromSeconds(10));

    // The literals among the arguments, joined, with every interpolation as {}, up to what is nothing else.
    private static string TextOf(string arguments) => OpenEnd().Replace(
        string.Concat(
            from literal in Literal().Matches(Placeholder().Replace(arguments, "{}"))
            select literal.Groups["text"].Value.Replace("\\\"", "\"", StringComparison.Ordinal)),
        "");

    [GeneratedRegex(@"\{[^{}]*\}|…", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Placeholder();

    [GeneratedRegex(@"(\{\})+$", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex OpenEnd();

    [GeneratedRegex(@" \(Parameter '\w+'\)$", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Addition();

    // Up to the end of the statement, or of the arm of a switch.
    [GeneratedRegex(
        @"(throw new (?!ArgumentNull)\w+Exception|throw new ArgumentNullException(?=\(\s*nameof\(\w+\),\s*"")|Exception \w+\([^)]*\) => new|new TimeoutException\(string\.Create|message = string\.Create)\((?<arguments>.*?)\)(;|,\s*(\};|[^\n]* => ))",
        RegexOptions.ExplicitCapture | RegexOptions.Singleline,
        10_000)]
    private static partial Regex ExceptionMade();

    [GeneratedRegex(@"""(?<text>([^""\\]|\\.)*)""", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Literal();

    private sealed class Paranoid
    {
        private readonly TieredArrayPool<byte> _pool =
            new(new ArrayPoolOptions { Paranoid = ParanoidMode.Throw, MaxRetainedBytes = 16 });

        public void ReturnTwice()
        {
            var array = _pool.Rent(16);
            _pool.Return(array);
            _pool.Return(array);
        }

        public void ReturnForeign() => _pool.Return(new byte[16]);

        public void WriteLate()
        {
            var array = _pool.Rent(16);
            _pool.Return(array);
            array[0] = 1;
            _ = _pool.Rent(16);
        }
    }
}
