// The parts of eng/release.sh that read and write XML, JSON and zip files. Run as: dotnet run eng/release/Release.cs -- COMMAND …
#:property PublishAot=false
#:property TreatWarningsAsErrors=false
#:property RunAnalyzers=false
using System.IO.Compression;
using System.Security.Cryptography;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Xml.Linq;

return args switch
{
    ["notes", var changelog, var version] => Notes(changelog, version),
    ["compare", var first, var second] => Compare(first, second),
    ["api", var baseline, var snapshots, var version] => Api(baseline, snapshots, version),
    ["surface", var snapshots, var version] => Surface(snapshots, version),
    ["readmes", var root, var repository, var version] => Readmes(root, repository, version),
    ["address", var remote] => Address(remote),
    ["application", var package, var version, var folder, var versions] => Application(package, version, folder, versions),
    ["bill", var package, var version, var dependencies, var file] => Bill(package, version, dependencies, file),
    _ => Fail($"unknown command: {string.Join(' ', args)}"),
};

// The section of the changelog for the version.
static int Notes(string changelog, string version)
{
    var section =
        File.ReadLines(changelog).SkipWhile(line => !line.StartsWith($"## [{version}]", StringComparison.Ordinal)).ToList();
    if (section.Count == 0)
    {
        return Fail($"{changelog} has no section '## [{version}]'.");
    }

    foreach (var line in section.Skip(1).TakeWhile(line => !line.StartsWith("## ", StringComparison.Ordinal)))
    {
        Console.WriteLine(line);
    }

    return 0;
}

// The first page of each package as package galleries can show it: they know no relative links and no comments. Files of the
// repository are linked at the tag of the version.
static int Readmes(string root, string repository, string version)
{
    foreach (var page in Directory.GetFiles(Path.Combine(root, "src"), "README.md", SearchOption.AllDirectories))
    {
        var text = Regex.Replace(File.ReadAllText(page), "<!--.*?-->\n?", "", RegexOptions.Singleline);
        File.WriteAllText(page, Regex.Replace(
            text, @"\[(?<text>[^\]]*)\]\((?!https?://|#)(?<file>[^)]+)\)",
            each => $"[{each.Groups["text"]}]({repository}/blob/v{version}/{InRepository(page, each.Groups["file"].Value)})"));
    }

    return 0;

    string InRepository(string page, string link) =>
        Path.GetRelativePath(root, Path.Combine(Path.GetDirectoryName(page)!, link)).Replace('\\', '/');
}

// The public address of a remote, for the console.
static int Address(string remote)
{
    if (WebAddress(remote) is not { } address)
    {
        return Fail($"'{remote}' is not a public address. Set POOLHOUSE_REPOSITORY, such as https://github.com/owner/poolhouse.");
    }

    Console.WriteLine(address);
    return 0;
}

// https://host/owner/name of a remote such as git@host:owner/name.git; null if it is a folder.
static string? WebAddress(string remote)
{
    var match = Regex.Match(
        remote, @"^(https?://(?:[^/@]*@)?|ssh://(?:[^/@]*@)?|[^/@]+@)(?<host>[^/:]+)(?::\d+)?[/:](?<path>.+?)(?:\.git)?/?$");
    return match.Success ? $"https://{match.Groups["host"]}/{match.Groups["path"]}" : null;
}

// The packages of two folders have the same files with the same contents. A package's own files have a random name or a time
// stamp.
static int Compare(string first, string second)
{
    var (one, other) = (Contents(first), Contents(second));
    var differences =
        one.Keys.Union(other.Keys).Where(file => one.GetValueOrDefault(file) != other.GetValueOrDefault(file)).Order().ToList();
    Console.WriteLine($"{one.Count} files in {Directory.GetFiles(first).Length} packages");
    return differences.Count == 0 && one.Count > 0 ? 0 : Fail($"differ from build to build: {string.Join(", ", differences)}");
}

static Dictionary<string, string> Contents(string folder) => Directory.GetFiles(folder).SelectMany(path =>
{
    using var package = ZipFile.OpenRead(path);
    return package.Entries
        .Where(entry => !entry.FullName.EndsWith(".psmdcp", StringComparison.Ordinal)
            && !entry.FullName.StartsWith("_rels", StringComparison.Ordinal))
        .Select(entry => (Name: $"{Path.GetFileName(path)}/{entry.FullName}", Hash: HashOf(entry)))
        .ToList();
}).ToDictionary(entry => entry.Name, entry => entry.Hash, StringComparer.Ordinal);

static string HashOf(ZipArchiveEntry entry)
{
    using var content = entry.Open();
    return Convert.ToHexString(SHA256.HashData(content));
}

// The public surface of all packages in one text: its version, then each member with its package and type, one a line.
static int Surface(string snapshots, string version)
{
    Console.WriteLine($"# {version}");
    foreach (var member in Members(snapshots))
    {
        Console.WriteLine(member);
    }

    return 0;
}

// The surface of this version against that of the last one, if there is one. What is removed or changed breaks callers, and a new
// abstract member or a new member of an interface breaks whoever implements it: that takes a new major version, or before 1.0.0 a
// new minor one.
static int Api(string baseline, string snapshots, string version)
{
    var lines = File.ReadAllLines(baseline);
    var last = lines[0]["# ".Length..];
    if (!Version.TryParse(last.Split('-')[0], out var before))
    {
        Console.WriteLine($"no version was released yet: nothing to compare with ({baseline})");
        return 0;
    }

    var now = Members(snapshots).ToList();
    var then = lines.Skip(1).ToHashSet(StringComparer.Ordinal);
    var types = then.Select(TypeOf).ToHashSet(StringComparer.Ordinal);
    var removed = then.Except(now).ToList();
    var demanded = now.Where(each => !then.Contains(each) && types.Contains(TypeOf(each)) && MustBeImplemented(each)).ToList();
    var after = Version.Parse(version.Split('-')[0]);
    Console.WriteLine(
        $"{last} had {then.Count} members; {now.Count(each => !then.Contains(each))} are new, {removed.Count} are removed or " +
        "changed");
    foreach (var each in removed)
    {
        Console.WriteLine($"- {each}");
    }

    foreach (var each in demanded)
    {
        Console.WriteLine($"+ {each}");
    }

    var mayBreak = after.Major > before.Major || (after.Major == 0 && before.Major == 0 && after.Minor > before.Minor);
    return removed.Count + demanded.Count == 0 || mayBreak
        ? 0
        : Fail(
            $"{version} breaks code that was written for {last}. Raise the {(before.Major == 0 ? "minor" : "major")} version, " +
            "or keep what was there.");
}

static string TypeOf(string member) => member.Split(" :: ")[0];

static bool MustBeImplemented(string member) =>
    member.Contains(" :: abstract ", StringComparison.Ordinal) || (TypeOf(member)
        .Contains(": interface ", StringComparison.Ordinal) && member.Contains(" :: ", StringComparison.Ordinal));

// A snapshot has a line for each type, and its members below it, indented.
static IEnumerable<string> Members(string snapshots)
{
    foreach (var file in Directory.GetFiles(snapshots, "*.txt").Order(StringComparer.Ordinal))
    {
        var (package, type) = (Path.GetFileNameWithoutExtension(file), "");
        foreach (var line in File.ReadLines(file).Where(line => line.Length > 0))
        {
            if (line[0] != ' ')
            {
                type = $"{package}: {line}";
                yield return type;
            }
            else
            {
                yield return $"{type} :: {line.Trim()}";
            }
        }
    }
}

// The project file of an application with one package. Other packages are named in its first lines: // package: NAME
static int Application(string package, string version, string folder, string versions)
{
    var central = XDocument.Load(versions).Descendants("PackageVersion")
        .ToDictionary(each => each.Attribute("Include")!.Value, each => each.Attribute("Version")!.Value, StringComparer.Ordinal);
    var lines = File.ReadAllLines(Path.Combine(folder, "Program.cs"));
    var others = Values("// package: ");
    var sdk = Values("// sdk: ").FirstOrDefault() ?? "Microsoft.NET.Sdk";
    var trimmed = !lines.Contains("// not trimmed");
    new XElement(
        "Project",
        new XAttribute("Sdk", sdk),
        new XElement(
            "PropertyGroup",
            new XElement("TargetFramework", "net10.0"),
            new XElement("OutputType", "Exe"),
            new XElement("AssemblyName", "Application"),
            new XElement("ImplicitUsings", "enable"),
            new XElement("RuntimeIdentifier", System.Runtime.InteropServices.RuntimeInformation.RuntimeIdentifier),
            new XElement("SelfContained", "true"),
            new XElement("InvariantGlobalization", "true"),
            new XElement("PublishTrimmed", trimmed),
            new XElement("ManagePackageVersionsCentrally", "false")),
        new XElement(
            "ItemGroup",
            Reference(package, version),
            others.Select(other => Reference(other, central[other])))).Save(Path.Combine(folder, "Application.csproj"));
    return 0;

    IEnumerable<string> Values(string mark) =>
        lines.Where(line => line.StartsWith(mark, StringComparison.Ordinal)).Select(line => line[mark.Length..]);

    static XElement Reference(string name, string number) =>
        new("PackageReference", new XAttribute("Include", name), new XAttribute("Version", number));
}

// A bill of materials in the form of CycloneDX 1.5; on the console, a line with the licence of each dependency.
static int Bill(string package, string version, string dependencies, string file)
{
    var packages = Environment.GetEnvironmentVariable("NUGET_PACKAGES")
        ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
    var components = new JsonArray();
    var frameworks = JsonNode.Parse(File.ReadAllText(dependencies))!["projects"]![0]!["frameworks"]?.AsArray() ?? [];
    foreach (var each in frameworks.SelectMany(framework => new[] { "topLevelPackages", "transitivePackages" }
        .SelectMany(kind => framework![kind]?.AsArray() ?? [])))
    {
        var (id, resolved) = ((string)each!["id"]!, (string)each["resolvedVersion"]!);
        var specification =
            Path.Combine(packages, id.ToLowerInvariant(), resolved.ToLowerInvariant(), $"{id.ToLowerInvariant()}.nuspec");
        var metadata = XDocument.Load(specification).Root!.Elements().First().Elements()
            .ToLookup(element => element.Name.LocalName, element => element.Value);
        if (metadata["developmentDependency"].FirstOrDefault() == "true")
        {
            continue;
        }

        var licence = metadata["license"].FirstOrDefault() ?? metadata["licenseUrl"].FirstOrDefault() ?? "unknown";
        Console.WriteLine($"{id} {resolved}: {licence}");
        components.Add(new JsonObject
        {
            ["type"] = "library",
            ["name"] = id,
            ["version"] = resolved,
            ["purl"] = $"pkg:nuget/{id}@{resolved}",
            ["licenses"] = new JsonArray(new JsonObject { ["license"] = new JsonObject { ["name"] = licence } }),
        });
    }

    var bill = new JsonObject
    {
        ["bomFormat"] = "CycloneDX",
        ["specVersion"] = "1.5",
        ["version"] = 1,
        ["metadata"] = new JsonObject
        {
            ["component"] = new JsonObject
            {
                ["type"] = "library",
                ["name"] = package,
                ["version"] = version,
                ["purl"] = $"pkg:nuget/{package}@{version}",
                ["licenses"] = new JsonArray(new JsonObject { ["license"] = new JsonObject { ["id"] = "MIT" } }),
            },
        },
        ["components"] = components,
    };
    File.WriteAllText(file, bill.ToString());
    return 0;
}

static int Fail(string message)
{
    Console.Error.WriteLine($"eng/release.sh: {message}");
    return 1;
}
