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
        ["Resources/Servers"] = 3,
        ["Resources/Nested"] = 4,
        ["Metrics"] = 5,
    };

    [Fact]
    public void A_room_uses_only_rooms_below_it()
    {
        var files = RepositoryFiles.Files("*.cs", "src", "Poolhouse").ToList();
        var roomOfType = RoomsOfTypes(files, isIncluded: _ => true);
        var violations =
            from file in files
            let room = RoomOf(file)
            from word in Word().Matches(CodeOf(file)).Select(match => match.Value).Distinct()
            where roomOfType.TryGetValue(word, out _) && !MayUse(room, roomOfType[word])
            select $"{RepositoryFiles.Relative(file)}: {word} of '{roomOfType[word]}'";
        Assert.Empty(violations);
    }

    [Fact]
    public void Workers_use_the_kernel_and_no_other_internal_types_of_the_core()
    {
        var roomOfType = RoomsOfTypes(
            RepositoryFiles.Files("*.cs", "src", "Poolhouse"),
            declaration => declaration.StartsWith("internal ", StringComparison.Ordinal));
        var own = RoomsOfTypes(RepositoryFiles.Files("*.cs", "src", "Poolhouse.Workers"), _ => true);
        var violations =
            from file in RepositoryFiles.Files("*.cs", "src", "Poolhouse.Workers")
            from word in Word().Matches(CodeOf(file)).Select(match => match.Value).Distinct()
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

    private static Dictionary<string, string> RoomsOfTypes(IEnumerable<string> files, Func<string, bool> isIncluded)
    {
        var roomOfType = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var file in files)
        {
            // Only top-level types, which begin at the margin: nested types belong to the room of their container.
            foreach (var declaration in Declaration().Matches(CodeOf(file)).Where(declaration => isIncluded(declaration.Value)))
            {
                roomOfType.TryAdd(declaration.Groups["name"].Value, RoomOf(file));
            }
        }

        return roomOfType;
    }

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
}
