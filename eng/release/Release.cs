// The parts of eng/release.sh that read and write XML, JSON and zip files. Run as: dotnet run eng/release/Release.cs -- COMMAND …
#:property PublishAot=false
#:property TreatWarningsAsErrors=false
#:property RunAnalyzers=false
using System.IO.Compression;
using System.Security.Cryptography;
using System.Text.Json.Nodes;
using System.Xml.Linq;

return args switch
{
    ["notes", var changelog, var version] => Notes(changelog, version),
    ["compare", var first, var second] => Compare(first, second),
    ["application", var package, var version, var folder, var versions] => Application(package, version, folder, versions),
    ["bill", var package, var version, var dependencies, var file] => Bill(package, version, dependencies, file),
    _ => Fail($"unknown command: {string.Join(' ', args)}"),
};

// The section of the changelog for the version.
static int Notes(string changelog, string version)
{
    var section = File.ReadLines(changelog).SkipWhile(line => !line.StartsWith($"## [{version}]", StringComparison.Ordinal)).ToList();
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

// The packages of two folders have the same files with the same contents. A package's own files have a random name or a time stamp.
static int Compare(string first, string second)
{
    var (one, other) = (Contents(first), Contents(second));
    var differences = one.Keys.Union(other.Keys).Where(file => one.GetValueOrDefault(file) != other.GetValueOrDefault(file)).Order().ToList();
    Console.WriteLine($"{one.Count} files in {Directory.GetFiles(first).Length} packages");
    return differences.Count == 0 && one.Count > 0 ? 0 : Fail($"differ from build to build: {string.Join(", ", differences)}");
}

static Dictionary<string, string> Contents(string folder) => Directory.GetFiles(folder).SelectMany(path =>
{
    using var package = ZipFile.OpenRead(path);
    return package.Entries
        .Where(entry => !entry.FullName.EndsWith(".psmdcp", StringComparison.Ordinal) && !entry.FullName.StartsWith("_rels", StringComparison.Ordinal))
        .Select(entry => (Name: $"{Path.GetFileName(path)}/{entry.FullName}", Hash: HashOf(entry)))
        .ToList();
}).ToDictionary(entry => entry.Name, entry => entry.Hash, StringComparer.Ordinal);

static string HashOf(ZipArchiveEntry entry)
{
    using var content = entry.Open();
    return Convert.ToHexString(SHA256.HashData(content));
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

    IEnumerable<string> Values(string mark) => lines.Where(line => line.StartsWith(mark, StringComparison.Ordinal)).Select(line => line[mark.Length..]);

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
        var specification = Path.Combine(packages, id.ToLowerInvariant(), resolved.ToLowerInvariant(), $"{id.ToLowerInvariant()}.nuspec");
        var metadata = XDocument.Load(specification).Root!.Elements().First().Elements().ToLookup(element => element.Name.LocalName, element => element.Value);
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
