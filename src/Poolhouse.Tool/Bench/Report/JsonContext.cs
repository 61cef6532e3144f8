using System.Text.Json.Serialization;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>The serializers, made when the tool is compiled.</summary>
// A figure may be infinite: what never happened happened after that time.
[JsonSourceGenerationOptions(
    WriteIndented = true,
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    UseStringEnumConverter = true,
    NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals)]
[JsonSerializable(typeof(JsonDocumentModel))]
internal sealed partial class JsonContext : JsonSerializerContext;
