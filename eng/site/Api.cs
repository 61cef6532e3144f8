// Writes the API reference of the site: a page for each public type, from the assemblies and their XML documentation.
// Run as: dotnet run eng/site/Api.cs -- OUTPUT ASSEMBLY…
#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
#:property TreatWarningsAsErrors=false
#:property RunAnalyzers=false
using System.Globalization;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using System.Xml.Linq;

var output = args[0];
AppDomain.CurrentDomain.AssemblyResolve += (_, wanted) =>
{
    var file = new AssemblyName(wanted.Name).Name + ".dll";
    return args.Skip(1).Select(path => Path.Combine(Path.GetDirectoryName(Path.GetFullPath(path))!, file)).Where(File.Exists)
        .Select(Assembly.LoadFrom).FirstOrDefault();
};
var assemblies = args.Skip(1).Select(path => Assembly.LoadFrom(Path.GetFullPath(path))).ToList();
var docs = new Docs(args.Skip(1).Select(path => Path.ChangeExtension(path, ".xml")));
var types = assemblies.SelectMany(assembly => assembly.GetExportedTypes()).Where(type => !type.IsSpecialName)
    .OrderBy(type => type.FullName, StringComparer.Ordinal).ToList();
docs.Headings = types.Where(type => !type.IsEnum).SelectMany(TypePage.Headings).ToHashSet(StringComparer.Ordinal);
docs.Pages = types.ToDictionary(type => Names.Id(type), Names.Page, StringComparer.Ordinal);
Directory.CreateDirectory(output);

var index = new StringBuilder("# API reference\n");
foreach (var assembly in assemblies)
{
    var members = types.Where(type => type.Assembly == assembly).ToList();
    index.Append(CultureInfo.InvariantCulture, $"\n## {assembly.GetName().Name}\n\n| type | |\n|---|---|\n");
    foreach (var type in members)
    {
        index.Append(
            CultureInfo.InvariantCulture,
            $"| [{Names.Escape(Names.Of(type))}]({Names.Page(type)}) | {docs.FirstSentence(type)} |\n");
        File.WriteAllText(Path.Combine(output, Names.Page(type)), TypePage.Write(type, docs));
    }
}

File.WriteAllText(Path.Combine(output, "index.md"), index.ToString());
Console.WriteLine($"{types.Count} types");

internal static class TypePage
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    public static string Write(Type type, Docs docs)
    {
        var page = new StringBuilder();
        page.Append(
            CultureInfo.InvariantCulture,
            $"# {Names.Escape(Names.Of(type))}\n\n`{type.Namespace}`, package `{type.Assembly.GetName().Name}`\n\n");
        page.Append(CultureInfo.InvariantCulture, $"```csharp\n{Names.Declaration(type)}\n```\n\n{docs.Text(docs.Of(type))}\n");
        if (type.IsEnum)
        {
            page.Append("\n## Values\n\n| value | |\n|---|---|\n");
            foreach (var field in type.GetFields(BindingFlags.Public | BindingFlags.Static))
            {
                page.Append(CultureInfo.InvariantCulture, $"| `{field.Name}` | {docs.Line(docs.Of(field))} |\n");
            }

            return page.ToString();
        }

        Section("Constructors", type.GetConstructors(Declared));
        Section("Properties", type.GetProperties(Declared).Where(property => Visible(property.GetMethod ?? property.SetMethod!)));
        Section(
            "Methods", type.GetMethods(Declared).Where(
                method => !method.IsSpecialName && method.GetBaseDefinition().DeclaringType != typeof(object)
                    && !method.Name.StartsWith('<')));
        Section("Events", type.GetEvents(Declared));
        Section("Fields", type.GetFields(Declared));
        return page.ToString();

        void Section(string title, IEnumerable<MemberInfo> members)
        {
            var shown = members.Where(member => member is not MethodBase method || Visible(method))
                .Where(member => member is not FieldInfo field || field.IsPublic)
                .OrderBy(member => member.Name, StringComparer.Ordinal).ToList();
            if (shown.Count == 0)
            {
                return;
            }

            page.Append(CultureInfo.InvariantCulture, $"\n## {title}\n");
            var heading = "";
            foreach (var member in shown)
            {
                // Overloads share a heading, which the outline and the search show.
                if (member is not ConstructorInfo && member.Name != heading)
                {
                    heading = member.Name;
                    page.Append(CultureInfo.InvariantCulture, $"\n### {heading}\n");
                }

                page.Append(
                    CultureInfo.InvariantCulture,
                    $"\n```csharp\n{Names.Declaration(member)}\n```\n\n{docs.Text(docs.Of(member))}\n");
            }
        }
    }

    /// <summary>The members that have a heading, each after the name of its type's documentation.</summary>
    public static IEnumerable<string> Headings(Type type) => type.GetMembers(Declared)
        .Where(member => member switch
        {
            ConstructorInfo => false,
            MethodInfo method =>
                Visible(method) && !method.IsSpecialName && method.GetBaseDefinition().DeclaringType != typeof(object),
            PropertyInfo property => Visible(property.GetMethod ?? property.SetMethod!),
            EventInfo => true,
            FieldInfo field => field.IsPublic,
            _ => false,
        })
        .Select(member => $"{Names.Id(type)}.{member.Name}");

    private static bool Visible(MethodBase method) => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;
}

internal static class Names
{
    public static string Page(Type type) => Regex.Replace(Id(type)[2..], "[^A-Za-z0-9.]", "-") + ".md";

    public static string Escape(string text) =>
        text.Replace("<", "&lt;", StringComparison.Ordinal).Replace("|", "\\|", StringComparison.Ordinal);

    public static string Of(Type type)
    {
        if (type.IsByRef)
        {
            return Of(type.GetElementType()!);
        }

        if (type.IsArray)
        {
            return Of(type.GetElementType()!) + "[]";
        }

        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Of(underlying) + "?";
        }

        var keyword = type.FullName switch
        {
            "System.Void" => "void", "System.String" =>
                "string", "System.Int32" => "int", "System.Int64" => "long", "System.Boolean" => "bool",
            "System.Byte" => "byte", "System.Double" => "double", "System.Object" => "object", "System.Char" => "char", _ => null,
        };
        if (keyword is not null || !type.IsGenericType)
        {
            return keyword ?? type.Name;
        }

        return $"{type.Name.Split('`')[0]}<{string.Join(", ", type.GetGenericArguments().Select(Of))}>";
    }

    public static string Declaration(MemberInfo member) => member switch
    {
        Type type => $"public {Kind(type)} {Of(type)}",
        ConstructorInfo constructor =>
            $"{Access(constructor)} {constructor.DeclaringType!.Name.Split('`')[0]}({Parameters(constructor)})",
        MethodInfo method =>
            $"{Access(method)} {Modifier(method)}{Of(method.ReturnType)} {method.Name}{Generic(method)}({Parameters(method)})",
        PropertyInfo property =>
            $"{Access(property.GetMethod ?? property.SetMethod!)} " +
                $"{Modifier((property.GetMethod ?? property.SetMethod)!)}{Of(property.PropertyType)} {property.Name} {{ " +
                $"{Accessors(property)}}}",
        EventInfo each => $"public event {Of(each.EventHandlerType!)} {each.Name}",
        FieldInfo field =>
            $"public {(field.IsLiteral ? "const " : field.IsStatic ? "static " : "")}{Of(field.FieldType)} {field.Name}",
        _ => member.Name,
    };

    /// <summary>The name that XML documentation gives a member.</summary>
    public static string Id(MemberInfo member) => member switch
    {
        Type type => "T:" + FullName(type),
        MethodBase method => $"M:{FullName(method.DeclaringType!)}.{(method.IsConstructor ? "#ctor" : method.Name)}"
            + (method.IsGenericMethod ? "``" + method.GetGenericArguments().Length.ToString(CultureInfo.InvariantCulture) : "")
            + (method.GetParameters().Length == 0
                ? ""
                : $"({string.Join(',', method.GetParameters().Select(parameter => Reference(parameter.ParameterType)))})"),
        PropertyInfo property => $"P:{FullName(property.DeclaringType!)}.{property.Name}"
            + (property.GetIndexParameters().Length == 0
                ? ""
                : $"({string.Join(',', property.GetIndexParameters().Select(parameter => Reference(parameter.ParameterType)))})"),
        EventInfo each => $"E:{FullName(each.DeclaringType!)}.{each.Name}",
        FieldInfo field => $"F:{FullName(field.DeclaringType!)}.{field.Name}",
        _ => member.Name,
    };

    private static string FullName(Type type) =>
        ((type.IsGenericType ? type.GetGenericTypeDefinition() : type).FullName ?? type.Name).Replace('+', '.');

    private static string Reference(Type type)
    {
        if (type.IsByRef)
        {
            return Reference(type.GetElementType()!) + "@";
        }

        if (type.IsArray)
        {
            return Reference(type.GetElementType()!) + "[]";
        }

        if (type.IsGenericParameter)
        {
            return (type.DeclaringMethod is null ? "`" : "``") +
                type.GenericParameterPosition.ToString(CultureInfo.InvariantCulture);
        }

        return type.IsGenericType
            ? $"{FullName(type).Split('`')[0]}{{{string.Join(',', type.GetGenericArguments().Select(Reference))}}}"
            : FullName(type);
    }

    private static string Kind(Type type) => type switch
    {
        { IsEnum: true } => "enum",
        { IsInterface: true } => "interface",
        { IsValueType: true } => "struct",
        { IsAbstract: true, IsSealed: true } => "static class",
        { IsAbstract: true } => "abstract class",
        { IsSealed: true } => "sealed class",
        _ => "class",
    };

    private static string Access(MethodBase method) => method.IsPublic ? "public" : "protected";

    private static string Modifier(MethodInfo method) => method switch
    {
        { IsStatic: true } => "static ",
        { IsAbstract: true } when !method.DeclaringType!.IsInterface => "abstract ",
        { IsVirtual: true, IsFinal: false } when method.GetBaseDefinition() != method => "override ",
        { IsVirtual: true, IsFinal: false } when !method.DeclaringType!.IsInterface => "virtual ",
        _ => "",
    };

    private static string Generic(MethodInfo method) =>
        method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(Of))}>" : "";

    private static string Accessors(PropertyInfo property) =>
        (property.GetMethod is null ? "" : "get; ") + (property.SetMethod is not { IsPublic: true } set ? ""
            : set.ReturnParameter.GetRequiredCustomModifiers().Any(modifier => modifier.Name == "IsExternalInit")
                ? "init; "
                : "set; ");

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(parameter =>
        (parameter.IsOut ? "out " : parameter.IsIn ? "in " : parameter.ParameterType.IsByRef ? "ref " : "")
        + $"{Of(parameter.ParameterType)} {parameter.Name}"
        + (!parameter.HasDefaultValue ? "" : $" = {parameter.RawDefaultValue switch
        {
            null => parameter.ParameterType.IsValueType ? "default" : "null",
            string text => $"\"{text}\"",
            bool flag => flag ? "true" : "false",
            var value when parameter.ParameterType.IsEnum => $"{parameter.ParameterType.Name}.{Enum.ToObject(parameter.ParameterType, value)}",
            var value => Convert.ToString(value, CultureInfo.InvariantCulture),
        }}")));
}

/// <summary>The XML documentation of all assemblies, as Markdown.</summary>
internal sealed class Docs(IEnumerable<string> files)
{
    private readonly Dictionary<string, XElement> _members =
        files.Where(File.Exists).SelectMany(file => XDocument.Load(file).Descendants("member"))
        .DistinctBy(member => (string)member.Attribute("name")!)
        .ToDictionary(member => (string)member.Attribute("name")!, StringComparer.Ordinal);

    public IReadOnlyDictionary<string, string> Pages { get; set; } = new Dictionary<string, string>();

    public IReadOnlySet<string> Headings { get; set; } = new HashSet<string>();

    public XElement? Of(MemberInfo member) => Resolve(_members.GetValueOrDefault(Names.Id(member)), member, depth: 0);

    public string FirstSentence(Type type)
    {
        var text = Line(Of(type));
        var end = text.IndexOf(". ", StringComparison.Ordinal);
        return end < 0 ? text : text[..(end + 1)];
    }

    public string Line(XElement? docs) => docs?.Element("summary") is { } summary
        ? Inline(summary).Replace("\n", " ", StringComparison.Ordinal).Replace("|", "\\|", StringComparison.Ordinal)
        : "";

    public string Text(XElement? docs)
    {
        if (docs is null)
        {
            return "";
        }

        var text = new StringBuilder();
        Paragraph("summary", "");
        Paragraph("value", "");
        Paragraph("remarks", "");
        List("typeparam", "Type parameters");
        List("param", "Parameters");
        Paragraph("returns", "**Returns:** ");
        List("exception", "Exceptions");
        return text.ToString();

        void Paragraph(string name, string label)
        {
            foreach (var element in docs.Elements(name))
            {
                text.Append(CultureInfo.InvariantCulture, $"{label}{Inline(element)}\n\n");
            }
        }

        void List(string name, string title)
        {
            var elements = docs.Elements(name).Where(element => Inline(element).Length > 0).ToList();
            if (elements.Count > 0)
            {
                text.Append(CultureInfo.InvariantCulture, $"**{title}**\n\n");
                foreach (var element in elements)
                {
                    text.Append(
                        CultureInfo.InvariantCulture,
                        $"- {(element.Attribute("name") is { } id ? $"`{id.Value}`" : Link((string?)element.Attribute("cref")))}: {Inline(element).Replace("\n", " ", StringComparison.Ordinal)}\n");
                }

                text.Append('\n');
            }
        }
    }

    private XElement? Resolve(XElement? docs, MemberInfo member, int depth)
    {
        if (docs?.Element("inheritdoc") is not { } inherit || depth > 5)
        {
            return docs;
        }

        if ((string?)inherit.Attribute("cref") is { } cref)
        {
            return Resolve(_members.GetValueOrDefault(cref), member, depth + 1);
        }

        var owner = member as Type ?? member.DeclaringType!;
        foreach (var ancestor in owner.GetInterfaces().Prepend(owner.BaseType).OfType<Type>())
        {
            var definition = ancestor.IsGenericType ? ancestor.GetGenericTypeDefinition() : ancestor;
            var inherited = member is Type ? definition : definition.GetMember(member.Name).FirstOrDefault();
            if (inherited is not null && _members.GetValueOrDefault(Names.Id(inherited)) is { } found)
            {
                return Resolve(found, inherited, depth + 1);
            }
        }

        return docs;
    }

    private string Inline(XElement element)
    {
        var text = new StringBuilder();
        foreach (var node in element.Nodes())
        {
            switch (node)
            {
                case XText plain:
                    text.Append(
                        Names.Escape(Regex.Replace(plain.Value, @"\s+", " ")).Replace("{{", "{ {", StringComparison.Ordinal));
                    break;
                case XElement { Name.LocalName: "para" } paragraph:
                    text.Append("\n\n").Append(Inline(paragraph)).Append("\n\n");
                    break;
                case XElement { Name.LocalName: "list" } list:
                    text.Append("\n\n");
                    foreach (var item in list.Elements("item"))
                    {
                        var term = item.Element("term") is { } name ? $"{Inline(name)}: " : "";
                        text.Append(CultureInfo.InvariantCulture, $"- {term}{Inline(item.Element("description") ?? item)}\n");
                    }

                    text.Append('\n');
                    break;
                case XElement { Name.LocalName: "code" } code:
                    text.Append(CultureInfo.InvariantCulture, $"\n\n```csharp\n{Dedent(code.Value)}\n```\n\n");
                    break;
                case XElement { Name.LocalName: "c" } code:
                    text.Append(CultureInfo.InvariantCulture, $"`{code.Value}`");
                    break;
                case XElement { Name.LocalName: "paramref" or "typeparamref" } parameter:
                    text.Append(CultureInfo.InvariantCulture, $"`{parameter.Attribute("name")!.Value}`");
                    break;
                case XElement { Name.LocalName: "see" } see when see.Attribute("langword") is { } word:
                    text.Append(CultureInfo.InvariantCulture, $"`{word.Value}`");
                    break;
                case XElement { Name.LocalName: "see" or "seealso" } see when see.Attribute("href") is { } address:
                    text.Append(
                        CultureInfo.InvariantCulture, $"[{(see.Value.Length > 0 ? see.Value : address.Value)}]({address.Value})");
                    break;
                case XElement { Name.LocalName: "see" or "seealso" } see:
                    text.Append(Link((string?)see.Attribute("cref")));
                    break;
                case XElement other:
                    text.Append(Inline(other));
                    break;
            }
        }

        return text.ToString().Trim(' ', '\n');
    }

    private static string Dedent(string code)
    {
        var lines = code.Split('\n').SkipWhile(string.IsNullOrWhiteSpace).Reverse().SkipWhile(string.IsNullOrWhiteSpace).Reverse()
            .ToList();
        var indent = lines.Where(line => line.Trim().Length > 0).Select(line => line.Length - line.TrimStart().Length)
            .DefaultIfEmpty().Min();
        return string.Join('\n', lines.Select(line => line.Length < indent ? "" : line[indent..]));
    }

    private string Link(string? cref)
    {
        if (cref is null)
        {
            return "";
        }

        var plain = cref.Split('(')[0];
        var type = cref[0] == 'T' ? plain : "T:" + plain[2..plain.LastIndexOf('.')];
        var name = Regex.Replace(plain[(plain.LastIndexOf('.') + 1)..], "``?[0-9]+", "");
        var shown = cref[0] == 'T' ? name : $"{Regex.Replace(type[(type.LastIndexOf('.') + 1)..], "`[0-9]+", "")}.{name}";
        var anchor = cref[0] != 'T' && Headings.Contains($"{type}.{name}") ? $"#{name.ToLowerInvariant()}" : "";
        return Pages.TryGetValue(type, out var page) ? $"[`{shown}`]({page}{anchor})" : $"`{shown}`";
    }
}
