using System.Reflection;
using System.Runtime.CompilerServices;

namespace Poolhouse.Repository.Tests.PublicApi;

/// <summary>Writes what an assembly shows to its users: types by full name, members sorted, one a line.</summary>
internal static class ApiWriter
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    public static string Write(Assembly assembly) =>
        string.Join('\n', assembly.GetExportedTypes().OrderBy(type => type.FullName, StringComparer.Ordinal).Select(Write));

    private static string Write(Type type) =>
        string.Join('\n', [Head(type), .. MembersOf(type).Order(StringComparer.Ordinal).Select(member => "    " + member), ""]);

    private static string Head(Type type)
    {
        var bases = new List<Type>();
        if (type is { IsClass: true, BaseType: { } parent } && parent != typeof(object))
        {
            bases.Add(parent);
        }

        var inherited = type.BaseType?.GetInterfaces() ?? [];
        var own = type.IsEnum ? [] : type.GetInterfaces().Where(each => each.IsVisible).Except(inherited);
        bases.AddRange(own.OrderBy(each => each.Name, StringComparer.Ordinal));
        var from = bases.Count == 0 ? "" : " : " + string.Join(", ", bases.Select(TypeNames.Show));
        return $"{Kind(type)} {type.Namespace}.{TypeNames.Show(type)}{from}{Constraints(type)}";
    }

    private static string Kind(Type type) => type switch
    {
        { IsEnum: true } => "enum",
        { IsInterface: true } => "interface",
        { IsValueType: true } => type.IsDefined(typeof(IsReadOnlyAttribute)) ? "readonly struct" : "struct",
        { IsAbstract: true, IsSealed: true } => "static class",
        { IsAbstract: true } => "abstract class",
        { IsSealed: true } => "sealed class",
        _ => "class",
    };

    private static string Constraints(Type type) => string.Concat(
        type.GetGenericArguments().Select(argument => (Name: argument.Name, Rules: RulesOf(argument)))
            .Where(each => each.Rules.Count > 0)
            .Select(each => $" where {each.Name} : {string.Join(", ", each.Rules)}"));

    private static List<string> RulesOf(Type argument)
    {
        var attributes = argument.GenericParameterAttributes;
        var rules = new List<string>();
        if (attributes.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint))
        {
            rules.Add("class");
        }

        if (attributes.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint))
        {
            rules.Add("struct");
        }

        rules.AddRange(argument.GetGenericParameterConstraints().Where(each => each != typeof(ValueType)).Select(TypeNames.Show));
        return rules;
    }

    private static IEnumerable<string> MembersOf(Type type)
    {
        if (type.IsEnum)
        {
            return Enum.GetNames(type).Select(name => $"{name} = {(int)Enum.Parse(type, name)}");
        }

        return type.GetFields(Declared).Where(IsVisible).Select(Write)
            .Concat(type.GetConstructors(Declared).Where(IsVisible).Select(Write))
            .Concat(type.GetProperties(Declared).Where(property => AccessorsOf(property).Any()).Select(Write))
            .Concat(type.GetEvents(Declared).Where(each => IsVisible(each.AddMethod!)).Select(Write))
            .Concat(type.GetMethods(Declared).Where(IsOwnMethod).Select(Write));
    }

    private static bool IsOwnMethod(MethodInfo method) =>
        IsVisible(method) && (!method.IsSpecialName || method.Name.StartsWith("op_", StringComparison.Ordinal))
            && !method.IsDefined(typeof(CompilerGeneratedAttribute));

    private static bool IsVisible(MethodBase method) => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;

    private static bool IsVisible(FieldInfo field) => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly;

    private static IEnumerable<MethodInfo> AccessorsOf(PropertyInfo property) =>
        property.GetAccessors(nonPublic: true).Where(accessor => IsVisible(accessor) && !accessor.ReturnType.IsPointer);

    private static string Write(FieldInfo field)
    {
        var declaration = $"{TypeNames.Show(field.FieldType)} {field.Name}";
        return field.IsLiteral
            ? $"const {declaration} = {TypeNames.Show(field.GetRawConstantValue(), field.FieldType)}"
            : $"{Access(field.IsFamily)}{(field.IsStatic ? "static " : "")}{(field.IsInitOnly ? "readonly " : "")}{declaration}";
    }

    private static string Write(EventInfo declared) => $"event {TypeNames.Show(declared.EventHandlerType!)} {declared.Name}";

    private static string Write(ConstructorInfo constructor) =>
        $"{Access(constructor.IsFamily)}{TypeNames.Bare(constructor.DeclaringType!)}({Parameters(constructor)})";

    private static string Write(PropertyInfo property)
    {
        var accessors = AccessorsOf(property).ToList();
        var shown = string.Join(' ', accessors.Select(AccessorName));
        return $"{Modifiers(accessors[0])}{TypeNames.Show(property.PropertyType)} {property.Name} {{ {shown} }}";
    }

    private static string AccessorName(MethodInfo accessor)
    {
        if (accessor.ReturnType != typeof(void))
        {
            return "get;";
        }

        return accessor.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit)) ? "init;" : "set;";
    }

    private static string Write(MethodInfo method)
    {
        var arguments = string.Join(", ", method.GetGenericArguments().Select(TypeNames.Show));
        var generic = arguments.Length == 0 ? "" : $"<{arguments}>";
        return $"{Modifiers(method)}{TypeNames.Show(method.ReturnType)} {method.Name}{generic}({Parameters(method)})";
    }

    private static string TypeOf(ParameterInfo parameter)
    {
        var type = parameter.ParameterType;
        var direction = parameter.IsOut ? "out" : parameter.IsIn ? "in" : "ref";
        return type.IsByRef ? $"{direction} {TypeNames.Show(type.GetElementType()!)}" : TypeNames.Show(type);
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(parameter =>
        $"{TypeOf(parameter)} {parameter.Name}"
            + (parameter.HasDefaultValue ? $" = {TypeNames.Show(parameter.DefaultValue, parameter.ParameterType)}" : "")));

    private static string Modifiers(MethodInfo method)
    {
        var kind = method switch
        {
            { DeclaringType.IsInterface: true } => "",
            { IsStatic: true } => "static ",
            { IsAbstract: true } => "abstract ",
            { IsVirtual: true, IsFinal: false } when method.GetBaseDefinition() != method => "override ",
            { IsVirtual: true, IsFinal: false } => "virtual ",
            _ => "",
        };
        return Access(method.IsFamily) + kind;
    }

    private static string Access(bool isProtected) => isProtected ? "protected " : "";
}
