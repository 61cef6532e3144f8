using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Layout;

/// <summary>
/// The rooms of the core are built on floors: a room uses only the rooms below it. The map is in docs/architecture.md.
/// </summary>
public sealed partial class Floors
{
    // Each folder and its floor. The types in the root of the project are shared by all rooms; they and the kernel may use each
    // other.
    private static readonly Dictionary<string, int> _floors = new(StringComparer.Ordinal)
    {
        [""] = 0,
        ["Kernel"] = 0,
        ["Caching"] = 1,
        ["Objects"] = 2,
        ["Buffers"] = 2,
        ["Resources"] = 2,
        ["Streams"] = 3,
        ["Resources/Keyed"] = 3,
        ["Resources/Shared"] = 3,
        ["Resources/Nested"] = 4,
        ["Metrics"] = 5,
    };

    // A lease that ends reaches the stack of its thread inline: the one place where the hot path must know a higher room.
    private const string Exception = "src/Poolhouse/Lease.cs: CacheSlot of 'Caching'";

    [Fact]
    public void A_room_uses_only_rooms_below_it()
    {
        var files = RepositoryFiles.Files("*.cs", "src", "Poolhouse").ToList();
        var roomOfType = RoomsOfTypes(files);
        var violations =
            from file in files
            let room = RoomOf(file)
            from word in WordsOf(file)
            where roomOfType.TryGetValue(word, out _) && !MayUse(room, roomOfType[word])
            select $"{RepositoryFiles.Relative(file)}: {word} of '{roomOfType[word]}'";
        Assert.Equal([Exception], violations);
    }

    // What only one room uses belongs to that room. A type also serves the rooms of the kernel's types that use it; each other
    // package is a room.
    [Fact]
    public void Every_type_of_the_kernel_serves_two_rooms()
    {
        var core = RepositoryFiles.Files("*.cs", "src", "Poolhouse").ToList();
        var roomOfType = RoomsOfTypes(core);
        var files = RepositoryFiles.Files("*.cs", "src")
            .Select(file => new SourceFile(
                [.. RoomsOfTypes([file]).Keys], WordsOf(file), core.Contains(file) ? RoomOf(file) : PackageOf(file)))
            .ToList();
        var shared = roomOfType.Where(type => type.Value is "" or "Kernel").Select(type => type.Key).ToList();
        var users = shared.ToDictionary(
            type => type,
            type => files.Where(file => !file.Types.Contains(type) && file.Words.Contains(type)).ToList(),
            StringComparer.Ordinal);
        var lonely = shared.Where(type => roomOfType[type].Length > 0 && RoomsServedBy(type, users).Count < 2);
        Assert.Empty(lonely);
    }

    [Fact]
    public void Workers_use_the_kernel_and_no_other_internal_types_of_the_core()
    {
        var roomOfType = RoomsOfTypes(
            RepositoryFiles.Files("*.cs", "src", "Poolhouse"),
            declaration => declaration.StartsWith("internal ", StringComparison.Ordinal));
        var own = RoomsOfTypes(RepositoryFiles.Files("*.cs", "src", "Poolhouse.Workers"));
        var violations =
            from file in RepositoryFiles.Files("*.cs", "src", "Poolhouse.Workers")
            from word in WordsOf(file)
            where roomOfType.TryGetValue(word, out var room) && _floors[room] > 0 && !own.ContainsKey(word)
            select $"{RepositoryFiles.Relative(file)}: {word} of '{roomOfType[word]}'";
        Assert.Empty(violations);
    }

    [Fact]
    public void Every_folder_is_a_room_with_a_floor()
    {
        var rooms = RepositoryFiles.Files("*.cs", "src", "Poolhouse").Select(RoomOf).Distinct();
        Assert.All(rooms, room => Assert.Contains(room, _floors.Keys));
        Assert.All(_floors.Keys, room => Assert.Contains(room, rooms));
    }

    [Fact]
    public void No_room_is_crowded()
    {
        var crowded = RepositoryFiles.Files("*.cs", "src")
            .GroupBy(file => RepositoryFiles.Relative(Path.GetDirectoryName(file)!))
            .Where(folder => folder.Count() > 20)
            .Select(folder => $"{folder.Key}: {folder.Count()} files");
        Assert.Empty(crowded);
    }

    private static HashSet<string> RoomsServedBy(string type, Dictionary<string, List<SourceFile>> users)
    {
        var rooms = new HashSet<string>(StringComparer.Ordinal);
        var seen = new HashSet<string>(StringComparer.Ordinal);
        var pending = new Stack<string>([type]);
        while (pending.TryPop(out var next))
        {
            foreach (var file in seen.Add(next) ? users[next] : [])
            {
                if (file.Room is "" or "Kernel")
                {
                    file.Types.Where(users.ContainsKey).ToList().ForEach(pending.Push);
                }
                else
                {
                    rooms.Add(file.Room);
                }
            }
        }

        return rooms;
    }

    private static Dictionary<string, string> RoomsOfTypes(IEnumerable<string> files, Func<string, bool>? isIncluded = null)
    {
        var roomOfType = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var file in files)
        {
            // Only top-level types, which begin at the margin: nested types belong to the room of their container.
            var declarations = Declaration().Matches(CodeOf(file));
            foreach (var declaration in declarations.Where(each => isIncluded?.Invoke(each.Value) ?? true))
            {
                roomOfType.TryAdd(declaration.Groups["name"].Value, RoomOf(file));
            }
        }

        return roomOfType;
    }

    private static HashSet<string> WordsOf(string file) =>
        Word().Matches(CodeOf(file)).Select(match => match.Value).ToHashSet(StringComparer.Ordinal);

    private static string PackageOf(string file) => RepositoryFiles.Relative(file).Split('/')[1];

    private static bool MayUse(string room, string other)
    {
        var (floor, below) = (_floors[room], _floors[other]);
        return string.Equals(room, other, StringComparison.Ordinal) || below < floor || (floor == 0 && below == 0);
    }

    /// <summary>The top folder, but for the rooms inside Resources that have a floor of their own.</summary>
    private static string RoomOf(string file)
    {
        var folders = RepositoryFiles.Relative(file).Split('/')[2..^1];
        var inner = string.Join('/', folders.Take(2));
        return folders.Length == 0 ? "" : _floors.ContainsKey(inner) ? inner : folders[0];
    }

    /// <summary>The source without comments, strings and usings, where a word need not name a type.</summary>
    private static string CodeOf(string file) => NoCode().Replace(File.ReadAllText(file), " ");

    [GeneratedRegex("""//[^\n]*|"(\\.|[^"\\\n])*"|^(using|namespace) [^;]*;""", RegexOptions.Multiline
        | RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex NoCode();

    [GeneratedRegex(@"^[a-z][a-z ]*\b(class|struct|interface|enum|record) (?<name>[A-Z]\w*)", RegexOptions.Multiline
        | RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Declaration();

    [GeneratedRegex(@"(?<![\w.])[A-Z]\w*", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Word();

    private sealed record SourceFile(List<string> Types, HashSet<string> Words, string Room);
}
